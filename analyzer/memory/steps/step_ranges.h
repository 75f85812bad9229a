// Which of a program's ranges and marks are its training steps. Programs mark
// several things: epochs, steps, what a step does, operations; all of them
// together are no steps.
//
// Ranges of one thread whose names differ by numbers only are a series ("step
// 1", "step 2"). The steps are one series: of those that are called steps the
// one that covers the most time, as a step covers what is done in it. Epochs,
// and series of other names, are a substitute (StepChoice::certain is false):
// of the latter only one of kMinOthers ranges or more that covers a third of
// its time. Operations of libraries are never steps. Used by steps.h; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inquest::memory {

struct NamedRange {
  std::string name;
  int64_t begin = 0;           // ns
  std::optional<int64_t> end;  // of a mark its beginning
  int64_t thread = 0;
};

struct StepChoice {
  std::vector<size_t> ranges;  // indexes, in the order given; none: no steps
  bool certain = false;        // called steps
};

inline constexpr int64_t kMinOthers = 3;

// `ranges` in the order of their beginnings.
StepChoice ChooseSteps(const std::vector<NamedRange>& ranges);

}  // namespace inquest::memory
