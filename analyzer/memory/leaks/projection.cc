// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/leaks/projection.h"

#include <algorithm>

namespace inquest::memory {

// A step that reaches a new peak shows what it needs above what it leaves, and
// the run dies of the largest need. Steps below the old peak needed no more
// than up to it: if that is clearly less, the large need was that of a
// beginning.
void Projection::Layer::EndStep(const HeldSoFar& held) {
  constexpr double kClearly = 0.75;
  const int64_t need = held.peak - held.live;
  if (held.peak_time != last_peak_time) {
    above = std::max(above, need);
  } else if (static_cast<double>(need) <
             kClearly * static_cast<double>(above)) {
    above = need;
  }
  live = held.live;
  peak = held.peak;
  last_peak_time = held.peak_time;
}

void Projection::EndStep(int device, const HeldSoFar& driver,
                         const HeldSoFar& pool) {
  Device& held = devices_[device];
  held.driver.EndStep(driver);
  held.pool.EndStep(pool);
}

std::optional<int64_t> Projection::StepsLeft(int device, int64_t room,
                                             int64_t bytes_per_step) const {
  const auto found = devices_.find(device);
  if (found == devices_.end() || bytes_per_step <= 0) return {};
  const auto& [driver, pool] = found->second;
  const bool in_pool = pool.live > 0 && pool.live >= driver.live / 2;
  const Layer& layer = in_pool ? pool : driver;
  // What the pool's segments hold beside its blocks, and what is outside them.
  const int64_t beside =
      in_pool ? std::max<int64_t>(0, driver.live - pool.peak) : 0;
  const int64_t left = room - beside - layer.live - layer.above;
  return std::max<int64_t>(0, left) / bytes_per_step;
}

}  // namespace inquest::memory
