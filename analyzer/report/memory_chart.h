// SPDX-License-Identifier: Apache-2.0
// A picture of a few lines: what a process held on a device over time, and when
// the device refused. For the text report; the page draws its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/timeline/curve.h"

namespace inquest::report {

struct ReportInput;

struct MemoryCurve {
  int64_t process = 0;
  int64_t device = 0;
  std::vector<memory::Moment> moments;  // the extremes are kept
  int64_t most_bytes = 0;               // the top: the device's size, or a peak
  std::vector<int64_t> refusals;        // times, ascending
};

inline constexpr size_t kChartPoints = 512;

// Of the verdict's device, or of the one with the largest peak; from what was
// noted during the replay, in so many points or more, else in a pass of its
// own. Empty if there is nothing to draw, or if that pass would take long.
Expected<std::optional<MemoryCurve>> ReadMemoryCurve(facts::Store* store,
                                                     const ReportInput& input);

// Lines that are indented by four; none is wider than `width`.
std::string DrawMemory(const MemoryCurve& curve, size_t width, bool ascii);

}  // namespace inquest::report
