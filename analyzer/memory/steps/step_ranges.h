// SPDX-License-Identifier: Apache-2.0
// Which of a program's ranges and marks are its training steps. Programs mark
// several things: epochs, steps, parts of a step, operations.
//
// Ranges of one thread whose names differ only by numbers are a series ("step
// 1", "step 2"). The steps are one series: of those named as steps the one that
// covers the most time, since a step covers its parts. Epochs and series of
// other names are a substitute (StepChoice::certain is false); of the latter,
// only series of at least kMinOthers ranges that cover a third of their time.
// Operations of libraries are never steps, nor are loaders of data, autotuners,
// layers, and parts such as "lr_scheduler.step".
//
// PyTorch itself marks "Optimizer.step#AdamW.step". It is not a step but ends
// one, so without other steps these ranges are the ends of the steps.
//
// Used by steps.h; pure computation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::memory {

struct NamedRange {
  std::string name;
  int64_t begin = 0;           // ns
  std::optional<int64_t> end;  // of a mark: its beginning
  int64_t thread = 0;
};

struct StepChoice {
  std::vector<size_t> ranges;  // indexes, in the order given; empty: no steps
  bool certain = false;        // named as steps
  bool are_ends = false;  // each ends a step, which began with the last end
};

// What a series of ranges is by its name.
enum class RangeRole {
  kProfilerStep,  // the program told its profiler
  kStep,
  kOptimizer,  // PyTorch's own mark
  kEpoch,
  kOther,
  kNoStep,  // a loader, an autotuner, a layer, an operation, a part
};
RangeRole RoleOfRange(std::string_view name);

inline constexpr int64_t kMinOthers = 3;

// `ranges` in the order of their beginnings.
StepChoice ChooseSteps(const std::vector<NamedRange>& ranges);

}  // namespace inquest::memory
