// SPDX-License-Identifier: Apache-2.0
// A picture of a few lines: what a process held on a device over time, and when
// the device refused. For the text report; the page draws its own. Read beside
// the replay, so only where somebody looks at it and the trace is not too long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/memory/timeline/curve.h"
#include "analyzer/report/summary.h"

namespace inquest::report {

struct MemoryCurve {
  int64_t process = 0;
  int64_t device = 0;
  std::vector<memory::Moment> moments;  // the extremes are kept
  int64_t most_bytes = 0;               // the top: the device's size, or a peak
  std::vector<int64_t> refusals;        // times, ascending
};

// Longer traces are drawn by the page alone: a second pass over so many events
// takes a quarter of a second.
inline constexpr int64_t kMaxEventsDrawn = 1'000'000;

// Of the verdict's device, or of the one with the largest peak. Empty if there
// is nothing to draw.
Expected<std::optional<MemoryCurve>> ReadMemoryCurve(
    facts::Store* store, const findings::Diagnosis& diagnosis,
    const Summary& summary);

// Lines that are indented by four; none is wider than `width`.
std::string DrawMemory(const MemoryCurve& curve, size_t width, bool ascii);

}  // namespace inquest::report
