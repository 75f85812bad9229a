// How long a block that was live at the peak was needed, as far as the ends of
// steps tell. Pure computation for the peak's facts (peak_facts.h).
//
// `persistent` is what outlived the ends of two, or of one and was never freed;
// `transient` what was freed within a twentieth of a usual step; `step` the
// rest, which is what a step needs. Without steps nothing is said of it.
//
// Of what a step needs, that which was made in the step before the one of the
// peak is carried over: allocated early (a batch fetched ahead) or freed late
// (a name that still holds it). Which of the two, and whether it was used at
// all, only the reads and writes of kernels would tell, which nobody records.
// What waits is told by the pool itself (late_free).
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/peaks/peak.h"

namespace inquest::memory {

struct StepTimes {
  std::vector<int64_t> ends;  // ascending
  int64_t usual_ns = 0;       // the median length
};

enum class Life { kUnknown, kPersistent, kStep, kTransient };
Life LifeOf(const PeakBlock& block, const StepTimes& steps);
bool IsCarried(const PeakBlock& block, const StepTimes& steps,
               int64_t peak_time);

}  // namespace inquest::memory
