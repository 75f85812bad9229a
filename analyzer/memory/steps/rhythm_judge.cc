// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/steps/rhythm_judge.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/capped.h"
#include "trace/records/event.h"

namespace inquest::memory {
namespace {

// Of a rhythm, so many events are looked at; an allocation is about two events,
// and each of the three parts of a run should hold some periods.
constexpr double kJudgedPeriods = 2 * 3 * 16;
constexpr int64_t kLeastJudged = 30'000;
constexpr int64_t kMaxJudged = 2'000'000;
constexpr int kMaxLevels = 4;
constexpr int64_t kFewAnchors = 4;
// A place belongs to the rhythm if it occurs in so many periods.
constexpr double kMaxPeriods = 0.7;
constexpr size_t kMaxPaths = 2048;  // examined; a program has far fewer
// What is held at the beginnings falls by this many times what a period needs.
constexpr int64_t kFalls = 2;

bool SamePlace(const Frame& a, const Frame& b) {
  return a.function == b.function && a.file == b.file;
}

// The functions that all paths begin with.
std::vector<Frame> Common(const std::vector<std::vector<Frame>>& paths) {
  if (paths.empty()) return {};
  std::vector<Frame> common = paths.front();
  for (const std::vector<Frame>& path : paths) {
    const auto differ = std::mismatch(common.begin(), common.end(),
                                      path.begin(), path.end(), SamePlace);
    common.erase(differ.first, common.end());
  }
  return common;
}

bool HasRole(const std::vector<Frame>& path, FrameRole role) {
  return std::any_of(path.begin(), path.end(),
                     [=](const Frame& frame) { return RoleOf(frame) == role; });
}

// The loop is inside of a step, whatever it is over.
std::optional<Judgement> LoopInside(const std::vector<Frame>& common) {
  using enum FrameRole;
  if (HasRole(common, kAutotuner)) {
    return Judgement{Judgement::kAutotuner, "an autotuner tries variants"};
  }
  if (HasRole(common, kLoader)) {
    return Judgement{Judgement::kLoader, "a loader of data repeats"};
  }
  if (HasRole(common, kOptimizer)) {
    return Judgement{Judgement::kOperators,
                     "an optimizer goes over its parameters"};
  }
  if (HasRole(common, kBackward)) {
    return Judgement{Judgement::kLayers, "one backward pass repeats"};
  }
  return {};
}

bool BeginsWith(const std::vector<Frame>& path,
                const std::vector<Frame>& beginning, size_t length) {
  return path.size() >= length &&
         std::equal(path.begin(),
                    path.begin() + static_cast<std::ptrdiff_t>(length),
                    beginning.begin(), SamePlace);
}

// Whether a forward function around the loop allocates outside of it too.
bool IsOverLayers(const std::vector<Frame>& common,
                  const std::vector<std::vector<Frame>>& outside) {
  const auto module = std::find_if(
      common.begin(), common.end(),
      [](const Frame& frame) { return RoleOf(frame) == FrameRole::kModule; });
  if (module == common.end()) return false;
  const auto length = static_cast<size_t>(module - common.begin()) + 1;
  return std::any_of(outside.begin(), outside.end(), [&](const auto& path) {
    return BeginsWith(path, common, length);
  });
}

// Both a part that trains and one that does not: a loop over the layers of a
// backward pass has no others.
bool Trains(const std::vector<std::vector<Frame>>& inside) {
  size_t training = 0;
  for (const std::vector<Frame>& path : inside) {
    training += HasRole(path, FrameRole::kOptimizer) ||
                HasRole(path, FrameRole::kBackward);
  }
  return training > 0 && training < inside.size();
}

uint64_t KeyOf(const MemoryEvent& event) {
  const bool framework =
      event.kind == static_cast<int>(trace::MemoryKind::kFramework);
  return event.address << 1 | (framework ? 1 : 0);
}

}  // namespace

std::string_view Word(Judgement::Kind kind) {
  switch (kind) {
    case Judgement::kSteps:
      return "steps";
    case Judgement::kLayers:
      return "layers";
    case Judgement::kOperators:
      return "operators";
    case Judgement::kAutotuner:
      return "autotuner";
    case Judgement::kLoader:
      return "loader";
    case Judgement::kParts:
      return "parts";
    default:
      return "unknown";
  }
}

void RhythmJudge::Add(const MemoryEvent& event) {
  if (event.op == static_cast<int>(trace::MemoryOp::kFree)) {
    const auto bytes = blocks_.Take(KeyOf(event));
    if (!bytes) return;
    live_ = SubtractCapped(live_, *bytes);
  }
  if (RhythmEvents::IsAllocation(event)) Count(event);
}

void RhythmJudge::Count(const MemoryEvent& event) {
  const RhythmEvents::Keys keys = keys_.Next(event);
  if (std::find(keys.begin(), keys.end(), rhythm_.anchor) != keys.end()) {
    if (anchors_++ > 0) {
      excursions_.push_back(SubtractCapped(highest_, beginnings_.back()));
    }
    beginnings_.push_back(live_);
    highest_ = live_;
    last_anchor_ = allocations_;
  }
  Place& place = places_[event.stack];
  if (place.count++ == 0) place.first = allocations_;
  if (place.period != anchors_) ++place.periods;
  place.period = anchors_;
  place.last = allocations_++;
  live_ = AddCapped(live_, event.bytes);
  highest_ = std::max(highest_, live_);
  blocks_.Put(KeyOf(event), event.bytes);
}

bool RhythmJudge::IsInside(const Place& place) const {
  return static_cast<double>(place.periods) >=
         kMaxPeriods * static_cast<double>(anchors_);
}

// Recurs more seldom than the rhythm, or comes once that is over.
bool RhythmJudge::IsAround(const Place& place) const {
  const auto after = static_cast<double>(place.last - last_anchor_);
  return after > 0.75 * rhythm_.period ||
         (place.count > 1 && place.last - place.first > allocations_ / 2);
}

RhythmJudge::Paths RhythmJudge::AllPaths() const {
  Paths paths;
  for (const auto& [stack, place] : places_) {
    const bool inside = IsInside(place);
    if (!inside && !IsAround(place)) continue;
    std::vector<Frame> frames;
    if (paths.inside.size() + paths.outside.size() < kMaxPaths) {
      frames = frames_(stack);
    }
    if (inside) (frames.empty() ? paths.unknown : paths.known) += place.count;
    if (frames.empty()) continue;
    std::reverse(frames.begin(), frames.end());
    (inside ? paths.inside : paths.outside).push_back(std::move(frames));
  }
  return paths;
}

// The deepest fall of what is held at the beginnings, against what the periods
// themselves need.
bool RhythmJudge::RisesAndFalls() const {
  if (excursions_.empty()) return false;
  std::vector<int64_t> needs = excursions_;
  const auto middle =
      needs.begin() + static_cast<std::ptrdiff_t>(needs.size() / 2);
  std::nth_element(needs.begin(), middle, needs.end());
  // Layers rise and fall bit by bit; a jump is another phase of the program.
  int64_t level = 0;
  int64_t highest = 0;
  int64_t fall = 0;
  for (size_t i = 1; i < beginnings_.size(); ++i) {
    const int64_t change = SubtractCapped(beginnings_[i], beginnings_[i - 1]);
    if (std::abs(change) / kFalls > *middle) continue;
    level = AddCapped(level, change);
    highest = std::max(highest, level);
    fall = std::max(fall, SubtractCapped(highest, level));
  }
  return fall / kFalls > *middle;
}

Judgement RhythmJudge::Judge() const {
  if (anchors_ < kFewAnchors) return {Judgement::kUnknown, "it is too long"};
  const Paths paths = AllPaths();
  const std::vector<Frame> common = Common(paths.inside);
  const bool blind = paths.known < paths.unknown;
  if (!blind) {
    if (const auto inside = LoopInside(common)) return *inside;
    if (IsOverLayers(common, paths.outside)) {
      return {Judgement::kLayers, "a model goes over its layers"};
    }
  }
  if (RisesAndFalls()) {
    return {Judgement::kOperators,
            "what is held rises and falls over many of them"};
  }
  if (blind) return {Judgement::kUnknown, "its allocations have no stacks"};
  const auto optimizes = [](const auto& path) {
    return HasRole(path, FrameRole::kOptimizer);
  };
  if (std::any_of(paths.outside.begin(), paths.outside.end(), optimizes) &&
      std::none_of(paths.inside.begin(), paths.inside.end(), optimizes)) {
    return {Judgement::kParts, "an optimizer runs after several of them"};
  }
  if (Trains(paths.inside)) {
    return {Judgement::kSteps, "it has forward parts and training parts"};
  }
  return {Judgement::kUnknown,
          "no stack of it is in an optimizer or a backward pass"};
}

Expected<std::vector<JudgedRhythm>> JudgeLevels(
    RhythmFinder* finder, const RhythmJudge::StackFrames& frames,
    const VisitEvents& events) {
  std::vector<JudgedRhythm> judged;
  RhythmLimits limits;
  for (int level = 0; level < kMaxLevels; ++level) {
    const auto rhythm = finder->Find(limits);
    if (!rhythm) break;
    const auto wanted = static_cast<int64_t>(rhythm->period * kJudgedPeriods);
    RhythmJudge judge(*rhythm, frames);
    RETURN_IF_ERROR(
        events(std::clamp(wanted, kLeastJudged, kMaxJudged),
               [&](const MemoryEvent& event) { judge.Add(event); }));
    judged.push_back({*rhythm, judge.Judge()});
    if (!judged.back().judgement.rejected()) break;
    limits.min_period = rhythm->period * (1 + 2 * limits.period_tolerance);
  }
  return judged;
}

}  // namespace inquest::memory
