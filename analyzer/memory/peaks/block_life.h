// SPDX-License-Identifier: Apache-2.0
// How long a block that was live at the peak was needed, judged by the ends of
// steps. Pure computation for the peak's facts (peak_facts.h).
//
// `persistent` blocks outlived the ends of two steps, or of one and were never
// freed; `transient` blocks were freed within a twentieth of a usual step;
// `step` is the rest: the working memory of a step. Without steps it is
// unknown.
//
// A step or transient block from an earlier step than that of the peak is
// carried over: allocated early (a prefetched batch) or freed late (a name that
// still refers to it). Only the reads and writes of kernels would show which of
// the two, and whether it was used at all, and nothing records these. Blocks
// that wait for another stream are in late_free.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/peaks/peak.h"

namespace inquest::memory {

constexpr int64_t kTransientPart = 20;  // of a usual step

struct StepTimes {
  std::vector<int64_t> ends;  // ascending
  int64_t usual_ns = 0;       // the median length
};

enum class Life { kUnknown, kPersistent, kStep, kTransient };
Life LifeOf(const PeakBlock& block, const StepTimes& steps);
bool IsCarried(const PeakBlock& block, const StepTimes& steps,
               int64_t peak_time);

}  // namespace inquest::memory
