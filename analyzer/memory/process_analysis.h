// SPDX-License-Identifier: Apache-2.0
// The analysis of one process: replays its trace, then writes its facts. For
// analyze.cc and the *_facts.cc beside it only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/analyze.h"
#include "analyzer/memory/device_ledger.h"
#include "analyzer/memory/leaks/growth.h"
#include "analyzer/memory/leaks/leak.h"
#include "analyzer/memory/leaks/projection.h"
#include "analyzer/memory/refusals/earlier_run_facts.h"
#include "analyzer/memory/replay/replay.h"
#include "analyzer/memory/sites/sites.h"
#include "analyzer/memory/sites/stack_frames.h"
#include "analyzer/memory/steps/steps.h"
#include "analyzer/memory/timeline/category_keeper.h"
#include "analyzer/memory/timeline/timeline.h"

namespace inquest::memory {

class ProcessAnalysis {
 public:
  ProcessAnalysis(facts::Store* store, int process,
                  const AnalyzeOptions& options, int64_t* next_site)
      : store_(store),
        process_(process),
        options_(options),
        prefix_(store->TracePrefix(process)),
        offset_(store->ClockOffset(process)),
        frames_(store, process),
        places_([this](int64_t stack) { return frames_.All(stack); }),
        sites_([this](int64_t stack) { return Frames(stack); }),
        replay_(&sites_),
        steps_({[this] { return replay_.LiveBytes(); },
                [this](int64_t step) {
                  sites_.EndStep(step);
                  replay_.EndStep();
                  EndStepOfCategories(step);
                  Project();
                }},
               [this](int64_t stack) { return frames_.All(stack); }),
        ledger_([this](int device) { return replay_.LiveBytes(device); }),
        first_site_(*next_site),
        next_site_(next_site) {}

  Expected<int64_t> Run();
  // See MemorySummary.
  const std::vector<std::string>& contradictions() const {
    return contradictions_;
  }
  // After Run, if it was asked for.
  std::optional<Timeline> TakeTimeline() {
    if (!timeline_) return {};
    Timeline timeline = timeline_->Take(folded_);
    if (categories_) {
      timeline.categories = categories_->Finish(replay_.devices());
    }
    return timeline;
  }

 private:
  std::vector<Frame> Frames(int64_t stack);
  void Follow(const MemoryEvent& event);
  Expected<int64_t> ReplayEvents();
  Status BeginTimeline(const trace::Checkpoint& checkpoint);
  void NoteTimeline(const MemoryEvent& event);
  void EndStepOfCategories(int64_t step);
  struct Held {  // by one site
    int64_t bytes = 0;
    int64_t oldest = INT64_MAX;  // time of its oldest block
  };
  std::map<size_t, Held> HeldBySite();
  void CompareSite(const Site& site, int64_t held);
  Status WriteSites();
  Status WriteSiteStacks();
  std::optional<int64_t> ContextsAtPeak(int device) const;
  Status WriteUsage();
  Status WriteLeaks();
  Status WriteLeakSteps(const Leak& leak);
  Status WriteGrowth();
  Status WriteLeakQuestion();
  Expected<Windows> CutIntoWindows(int64_t after);
  void Project();
  std::optional<int64_t> StepsLeft(int device) const;
  std::map<int, int64_t> Leaked() const;
  EarlierRunContext ForEarlierRuns();
  Status WriteRefusals();
  Status WritePeakFacts();
  Status WriteHeldFacts();
  Status WriteFaults();
  std::optional<int64_t> QueryFor(const std::string& select, int device);
  std::optional<int64_t> Capacity(int device);
  int64_t SiteId(size_t site) const {
    return first_site_ + static_cast<int64_t>(site);
  }

  facts::Store* store_;
  int process_;
  const AnalyzeOptions& options_;
  std::string prefix_;
  int64_t offset_;
  StackFrames frames_;
  CodePlaces places_;
  SiteTable sites_;
  Replay replay_;
  Steps steps_;
  DeviceLedger ledger_;
  std::vector<Leak> leaks_;
  Projection projection_;
  std::optional<Windows> windows_;  // where no steps are known
  std::vector<Growth> growths_;
  std::map<int, int64_t> pool_before_;  // live when the trace began, by device
  int64_t before_event_ = 0;            // the last one before the trace
  TorchSettings torch_;                 // of the pool, if there is one
  int64_t folded_ = 0;                  // events in the checkpoint
  std::optional<TimelineKeeper> timeline_;
  std::optional<CategoryKeeper> categories_;
  std::vector<std::string> contradictions_;
  int64_t first_site_;
  int64_t* next_site_;
};

}  // namespace inquest::memory
