// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "analyzer/memory/pool/torch_recorded.h"
#include "analyzer/memory/process_analysis.h"
#include "analyzer/memory/replay/kept_events.h"

namespace inquest::memory {

std::vector<Frame> ProcessAnalysis::Frames(int64_t stack) {
  std::vector<Frame> frames;
  if (options_.frames) frames = options_.frames(process_, stack);
  return frames.empty() ? frames_.Of(stack) : frames;
}

Status ProcessAnalysis::BeginTimeline(const trace::Checkpoint& checkpoint) {
  ASSIGN_OR_RETURN(timeline_,
                   KeeperFor(store_, process_, options_.timeline_points));
  if (checkpoint.event != 0) {
    timeline_->Note(replay_.devices(), checkpoint.time);
  }
  if (!options_.categories) return Status::Ok();
  categories_.emplace(&places_, offset_, before_event_);
  replay_.SetFollower(&*categories_);
  return Status::Ok();
}

void ProcessAnalysis::NoteTimeline(const MemoryEvent& event) {
  if (timeline_) timeline_->Note(replay_.devices(), event.time);
  if (categories_) categories_->After(event, replay_.devices());
}

// Their usual length is found by sorting, so not after each.
void ProcessAnalysis::EndStepOfCategories(int64_t step) {
  if (!categories_) return;
  categories_->EndStep();
  if (std::has_single_bit(static_cast<uint64_t>(step) + 1)) {
    categories_->SetUsualStep(steps_.UsualLength());
  }
}

void ProcessAnalysis::Follow(const MemoryEvent& event) {
  steps_.Before(event);
  if (windows_ && windows_->End(event.time)) {
    sites_.EndStep(windows_->ended() - 1);
  }
  ledger_.Before(event.time);
  if (categories_) categories_->Before(event);
  replay_.Add(event);
  NoteTimeline(event);
}

Expected<int64_t> ProcessAnalysis::ReplayEvents() {
  // Settings that cannot be parsed leave the defaults; what-if reports them.
  ASSIGN_OR_RETURN(const RecordedTorchSettings torch,
                   ReadTorchSettings(&store_->db(), prefix_));
  torch_ = torch.settings;
  replay_.SetTorch(torch_);
  trace::Checkpoint checkpoint;
  const bool folded = store_->HasTable(process_, "checkpoint");
  if (folded) {
    ASSIGN_OR_RETURN(checkpoint, replay_.Resume(&store_->db(), prefix_));
  }
  // A checkpoint with nothing folded into it is the state before the trace.
  before_event_ = checkpoint.event;
  if (checkpoint.event != 0 && checkpoint.folded == 0) {
    for (const auto& [device, state] : replay_.devices()) {
      pool_before_[device] = state.framework.live_bytes();
    }
  }
  if (options_.timeline_points > 0 && process_ <= options_.timelines) {
    RETURN_IF_ERROR(BeginTimeline(checkpoint));
  }
  folded_ = checkpoint.folded;
  KeptEvents events(&store_->db(), prefix_);
  RETURN_IF_ERROR(steps_.Read(
      &store_->db(), prefix_,
      folded ? std::optional<int64_t>(checkpoint.event) : std::nullopt,
      &events));
  RETURN_IF_ERROR(ledger_.Read(&store_->db(), prefix_,
                               folded ? checkpoint.time : INT64_MIN));
  if (categories_) categories_->SetUsualStep(steps_.UsualLength());
  if (const auto ends = steps_.Ends(); !ends.empty()) {
    replay_.SetLastStepEnd(ends.back());
  }
  if (!steps_.known()) {
    ASSIGN_OR_RETURN(windows_, CutIntoWindows(checkpoint.event));
  }
  ASSIGN_OR_RETURN(
      const int64_t replayed,
      events.ForAll(checkpoint.event,
                    [this](const MemoryEvent& event) { Follow(event); }));
  steps_.Finish();
  replay_.SurviveSteps(steps_.Ends());
  replay_.SurviveWork();
  ledger_.Finish();
  return checkpoint.folded + replayed;
}

// Other records take numbers of the same row, and counting many rows takes as
// long as reading them: then the first ones show how densely they lie.
Expected<Windows> ProcessAnalysis::CutIntoWindows(int64_t after) {
  ASSIGN_OR_RETURN(
      Statement row,
      store_->db().Prepare(fmt::format(
          "WITH some AS (SELECT id FROM {0}memory_event WHERE id > ? ORDER BY "
          "id LIMIT 65536) SELECT count(*), coalesce(max(id) - min(id) + 1, "
          "1), coalesce((SELECT max(id) FROM {0}memory_event) - min(id) + 1, "
          "0) FROM some",
          prefix_)));
  row.BindAll(after);
  int64_t some = 0, span = 1, whole = 0;
  row.Next(&some, &span, &whole);
  RETURN_IF_ERROR(row.status());
  return Windows(static_cast<int64_t>(static_cast<double>(some) *
                                      static_cast<double>(whole) /
                                      static_cast<double>(span)));
}

Expected<int64_t> ProcessAnalysis::Run() {
  ASSIGN_OR_RETURN(const int64_t events, ReplayEvents());
  if (windows_) {
    growths_ = FindGrowth(sites_.sites(), *windows_);
  } else {
    leaks_ = FindLeaks(sites_.sites());
  }
  RETURN_IF_ERROR(steps_.Write(store_, process_, offset_));
  // These may add sites, so they come before WriteSites.
  RETURN_IF_ERROR(WriteRefusals());
  RETURN_IF_ERROR(WritePeakFacts());
  RETURN_IF_ERROR(WriteHeldFacts());
  RETURN_IF_ERROR(WriteSites());
  if (options_.site_stacks) RETURN_IF_ERROR(WriteSiteStacks());
  RETURN_IF_ERROR(WriteUsage());
  RETURN_IF_ERROR(WriteLeaks());
  RETURN_IF_ERROR(WriteGrowth());
  RETURN_IF_ERROR(WriteLeakQuestion());
  RETURN_IF_ERROR(WriteFaults());
  RETURN_IF_ERROR(ledger_.Write(store_, process_));
  return events;
}

Status AnalyzeMore(facts::Store* store, const AnalyzeOptions& options,
                   AnalyzeState* state, MemorySummary* summary) {
  for (; state->process <= store->traces(); ++state->process) {
    RETURN_IF_ERROR(store->db().Execute("BEGIN"));
    ProcessAnalysis analysis(store, state->process, options, &state->next_site);
    auto events = analysis.Run();
    RETURN_IF_ERROR(store->db().Execute("COMMIT"));
    RETURN_IF_ERROR(events.status());
    summary->events += *events;
    if (auto timeline = analysis.TakeTimeline()) {
      summary->timelines.emplace(state->process, std::move(*timeline));
    }
    summary->contradictions.insert(summary->contradictions.end(),
                                   analysis.contradictions().begin(),
                                   analysis.contradictions().end());
  }
  return Status::Ok();
}

Expected<MemorySummary> Analyze(facts::Store* store,
                                const AnalyzeOptions& options) {
  MemorySummary summary;
  AnalyzeState state;
  RETURN_IF_ERROR(AnalyzeMore(store, options, &state, &summary));
  return summary;
}

}  // namespace inquest::memory
