// SPDX-License-Identifier: Apache-2.0
// The training steps of one process, for the memory analysis: the NVTX ranges
// named as steps (step_ranges.h), or else those found by the rhythm of its
// allocations (rhythm.h) unless it is one of something else (rhythm_judge.h),
// or else epochs and other repeating ranges. Follows the replay and calls
// `end_step` at the end of a step.
//
// What was examined and how it was judged is written as the fact
// step_candidate. Steps that may not be training steps are used as such, and
// say so.
//
// A step found by rhythm begins with the rhythm's anchor and ends with the next
// one, if that comes after about a period. If none comes in time (evaluation
// follows), it ends after a period; an anchor that comes too early (warm-up)
// does not end a step.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/replay/kept_events.h"
#include "analyzer/memory/steps/rhythm.h"
#include "analyzer/memory/steps/rhythm_judge.h"
#include "analyzer/memory/steps/step_ranges.h"

namespace inquest::memory {

class Steps {
 public:
  struct Replayed {
    std::function<int64_t()> live_bytes;  // held on all devices now
    std::function<void(int64_t step)> end_step;
  };
  Steps(Replayed replayed, RhythmJudge::StackFrames frames)
      : replayed_(std::move(replayed)), frames_(std::move(frames)) {}

  // `folded`: the last event of the checkpoint, if the trace can have one; the
  // checkpoint knows what was live at the end of the steps before it. A rhythm
  // is searched for only after it, in `events`.
  Status Read(Database* db, const std::string& prefix,
              std::optional<int64_t> folded, KeptEvents* events);
  // Ends the steps that ended before this event. Call before it is replayed.
  void Before(const MemoryEvent& event);
  void Finish();
  // Whether there are any. Known before the replay.
  bool known() const { return rhythm_ || !steps_.empty(); }
  // Whether something tells that they are training steps.
  bool certain() const { return judged_.kind == Judgement::kSteps; }
  // Why what was examined is not a step, or is not certain; may be empty.
  std::string Doubt() const {
    return candidates_.empty() ? "" : candidates_.back().judgement.why;
  }
  // In the trace's clock, ascending.
  std::vector<int64_t> Ends() const;
  // Whether a time lies in a step.
  bool Covers(int64_t time) const;
  // The usual length of a step; 0: there are none.
  int64_t UsualLength() const;
  // Fills store_step; `offset` is added to the trace's times.
  Status Write(facts::Store* store, int process, int64_t offset) const;

 private:
  struct Step {
    std::string name;
    int64_t begin = 0;
    std::optional<int64_t> end;
    std::optional<int64_t> live_bytes;
  };

  struct End {
    int64_t time = 0;
    size_t step = 0;
  };

  struct Ranges {
    std::vector<NamedRange> named;
    std::vector<std::optional<int64_t>> live_bytes;  // of each, at its end
  };
  static Expected<Ranges> ReadRanges(Database* db, const std::string& prefix,
                                     bool folded);
  // Something that repeats, and what was made of it.
  struct Candidate {
    std::string name;
    std::string found_by;
    std::optional<double> period;  // allocations
    Judgement judgement;
  };
  Status FindRhythm(KeptEvents* events, int64_t after);
  Status TryRhythms(KeptEvents* events, int64_t after, RhythmFinder* finder);
  void UseRanges(const Ranges& ranges, const StepChoice& choice);
  Status WriteCandidates(facts::Store* store, int process) const;
  void EndRangesBefore(int64_t time);
  void Beat(const MemoryEvent& event);
  void EndFound(int64_t time, int64_t live_bytes);
  double Periods() const;

  Replayed replayed_;
  RhythmJudge::StackFrames frames_;
  std::vector<Candidate> candidates_;
  Judgement judged_;  // of the steps in use
  std::vector<Step> steps_;
  std::vector<End> ends_;  // of NVTX steps after the checkpoint, by time
  size_t ended_ = 0;       // of these
  std::optional<Rhythm> rhythm_;
  RhythmEvents keys_;
  int64_t allocations_ = 0;
  std::optional<int64_t> open_;  // allocation that began a step
  int64_t open_time_ = 0;
  int64_t whole_time_ = 0;  // when the open step reached a period
  int64_t whole_live_ = 0;
  int64_t last_time_ = 0;  // of an allocation
};

}  // namespace inquest::memory
