// Leak suspects: sites whose live bytes grew from step to step until the end.
// A site is one when the growth is no accident (Mann-Kendall), goes on in the
// last half of the run (a cache that has filled up does not) and matters. Pure
// computation over a SiteTable's series; thresholds are parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/memory/sites.h"

namespace inquest::memory {

struct LeakLimits {
  size_t least_steps = 8;
  double least_significance = 3;   // standard deviations
  double least_late_slope = 0.4;   // late slope over the whole slope
  int64_t least_growth = 1 << 20;  // bytes
  double least_share = 0.05;       // of all growth on the device
};

struct Leak {
  size_t site = 0;
  int64_t bytes_per_step = 0;
  int64_t first_step = 0;
  int64_t last_step = 0;
  int64_t growth_bytes = 0;
  double share = 0;
};

// Sorted by growth, largest first.
std::vector<Leak> FindLeaks(const std::vector<Site>& sites,
                            const LeakLimits& limits = {});

}  // namespace inquest::memory
