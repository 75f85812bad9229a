// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/peaks/block_life.h"

#include <algorithm>

namespace inquest::memory {
Life LifeOf(const PeakBlock& one, const StepTimes& steps) {
  if (steps.ends.empty()) return Life::kUnknown;
  const auto from =
      std::upper_bound(steps.ends.begin(), steps.ends.end(), one.block.time);
  const auto to = std::upper_bound(from, steps.ends.end(), one.freed);
  const auto outlived = to - from;
  const bool kept = one.freed == INT64_MAX;
  if (outlived >= 2 || (outlived == 1 && kept)) return Life::kPersistent;
  if (!kept && one.freed - one.block.time < steps.usual_ns / kTransientPart) {
    return Life::kTransient;
  }
  return Life::kStep;
}

bool IsCarried(const PeakBlock& one, const StepTimes& steps,
               int64_t peak_time) {
  const Life life = LifeOf(one, steps);
  if (life != Life::kStep && life != Life::kTransient) return false;
  const auto from =
      std::upper_bound(steps.ends.begin(), steps.ends.end(), one.block.time);
  return from != steps.ends.end() && *from <= peak_time;
}

}  // namespace inquest::memory
