// SPDX-License-Identifier: Apache-2.0
// Leak suspects: sites that kept more from step to step until the end. Pure
// computation over a SiteTable's series; thresholds are parameters.
//
// Method. The value of a step is the least that the site holds from there on
// (the minimum over all later steps). It never falls, hides sawtooth patterns
// and noise, and its rise is memory that was never freed. The growth begins
// where it first rises. A site is a suspect if the growth
//  - is significant: Mann-Kendall over the steps since it began, corrected for
//    the correlation of the residuals (trend.h);
//  - never pauses for long: one-off jumps, full caches and a few stairs of
//    growing batches pause most of the time;
//  - does not slow down: the Theil-Sen slope of the second half is not much
//    below that of the first, as it is for a cache that fills up;
//  - reaches a new maximum, which the last tooth of a sawtooth does not;
//  - is large enough and lasts for some steps.
// Limit: a few dozen blocks kept at random moments, with long pauses between
// them, look like stairs and are not found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

struct LeakLimits {
  size_t min_steps = 8;
  double min_significance = 4;   // standard deviations
  double min_late_slope = 0.6;   // of the second half over the first
  double max_pause = 0.16;       // of the steps since it began
  double pause_of_noise = 2.5;   // added for noise, in noise over slope
  double pause_slope = 0.25;     // a pause grows less than this part of it
  int64_t min_growth = 1 << 20;  // bytes
  double min_share = 0.05;       // of all growth on the device
  size_t max_points = 256;       // examined; the cost is quadratic
};

struct Leak {
  size_t site = 0;
  int64_t bytes_per_step = 0;
  int64_t first_step = 0;
  int64_t last_step = 0;
  int64_t growth_bytes = 0;
  double share = 0;
  double significance = 0;
};

// Sorted by growth, largest first.
std::vector<Leak> FindLeaks(const std::vector<Site>& sites,
                            const LeakLimits& limits = {});

}  // namespace inquest::memory
