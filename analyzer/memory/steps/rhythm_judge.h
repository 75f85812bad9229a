// SPDX-License-Identifier: Apache-2.0
// Whether a rhythm of allocations (rhythm.h) is that of training steps. Layers
// of one forward pass, parameters of one optimizer step, trials of an autotuner
// and a loader's batches repeat just as regularly. For steps.h, which feeds the
// events of a part of the run and rejects what is something else.
//
// What decides, in this order:
//  - the functions that all places of the rhythm have in common are around the
//    loop. In an autotuner, a loader, an optimizer or a backward pass, the loop
//    is inside of a step.
//  - in a forward function, the loop is over layers if the same function also
//    allocates outside of the rhythm again and again, or once the rhythm is
//    over: embeddings, the last norm and the head of a model.
//  - what is held where the rhythm begins rises and falls by more than one
//    period needs: activations of a pass that has many periods.
//  - if an optimizer runs between several periods, each is a micro-batch.
//  - a rhythm that has both an optimizer's places (or a backward pass's) and
//    others is one of training steps.
// Everything else is left open, with the reason in words.
//
// Memory is bounded by the number of call stacks and of periods fed. Pure
// computation; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/memory/sites/symbolize.h"
#include "analyzer/memory/steps/frame_roles.h"
#include "analyzer/memory/steps/rhythm.h"
#include "base/status.h"

namespace inquest::memory {

struct Judgement {
  enum Kind {
    kSteps,
    kUnknown,
    kLayers,
    kOperators,
    kAutotuner,
    kLoader,
    kParts
  };
  Kind kind = kUnknown;
  std::string why;  // a clause: "its places are in an optimizer"
  // What is not a step is not used as one.
  bool rejected() const { return kind > kUnknown; }
};

// "steps", "unknown", "layers" …
std::string_view Word(Judgement::Kind kind);

class RhythmJudge {
 public:
  // All frames of a stack, innermost first; empty if it is unknown.
  using StackFrames = std::function<std::vector<Frame>(int64_t stack)>;

  RhythmJudge(const Rhythm& rhythm, StackFrames frames)
      : rhythm_(rhythm), frames_(std::move(frames)) {}

  // In their order; parts may be left out between two of them.
  void Add(const MemoryEvent& event);
  Judgement Judge() const;

 private:
  struct Place {  // a call stack
    int64_t count = 0;
    int64_t periods = 0;  // in which it occurred
    int64_t period = -1;  // the last of them
    int64_t first = 0;    // allocation
    int64_t last = 0;
  };
  using Path = std::vector<Frame>;  // outermost first
  struct Paths {
    std::vector<Path> inside;   // of places of the rhythm
    std::vector<Path> outside;  // of places that recur or come after it
    int64_t unknown = 0;        // allocations without a stack
    int64_t known = 0;
  };

  void Count(const MemoryEvent& allocation);
  Paths AllPaths() const;
  bool IsInside(const Place& place) const;
  bool IsAround(const Place& place) const;
  bool RisesAndFalls() const;

  Rhythm rhythm_;
  StackFrames frames_;
  RhythmEvents keys_;
  int64_t allocations_ = 0;
  int64_t anchors_ = 0;
  int64_t last_anchor_ = 0;
  int64_t live_ = 0;
  int64_t highest_ = 0;              // since the last anchor
  std::vector<int64_t> beginnings_;  // live at each anchor
  std::vector<int64_t> excursions_;  // above that, of each period
  LiveBlocks blocks_;
  std::unordered_map<int64_t, Place> places_;
};

struct JudgedRhythm {
  Rhythm rhythm;
  Judgement judgement;
};

// Visits about so many events of the run, in their order.
using VisitEvents = std::function<Status(
    int64_t most, const std::function<void(const MemoryEvent&)>& visit)>;

// What repeats on the shortest level may be a part of a step; then a longer
// level may be the steps. All levels that were judged; only the last one can be
// that of steps, and is unless it is rejected too.
Expected<std::vector<JudgedRhythm>> JudgeLevels(
    RhythmFinder* finder, const RhythmJudge::StackFrames& frames,
    const VisitEvents& events);

}  // namespace inquest::memory
