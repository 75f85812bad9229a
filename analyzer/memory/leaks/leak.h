// Leak suspects: sites that kept more from step to step until the end. Pure
// computation over a SiteTable's series; thresholds are parameters.
//
// Method. What counts at a step is the least that the site holds from there on
// (the minimum over all later steps): it never falls, teeth of a saw and noise
// do not show, and its rise is what was never given back. The growth begins
// where it first rises. A site is a suspect when the growth
//  - is no accident: Mann-Kendall over the steps since it began, with the
//    correlation of the residuals reckoned in (trend.h);
//  - never pauses for long: of one-off jumps, of caches that are full and of a
//    few stairs of growing batches most of the time is pause;
//  - does not tire: the Theil-Sen slope of its second half is not much below
//    that of the first, as it is of what saturates (a cache, a logarithm);
//  - has reached what was not held before: a saw's last tooth has not;
//  - matters, and lasts for some steps.
// Does not tell: a few dozen blocks kept at random moments, between which
// pauses are long, from stairs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

struct LeakLimits {
  size_t least_steps = 8;
  double least_significance = 4;   // standard deviations
  double least_late_slope = 0.6;   // of the second half over the first
  double longest_pause = 0.16;     // of the steps since it began
  double pause_of_noise = 2.5;     // longer by noise as far as the slope goes
  double pause_slope = 0.25;       // below this part of the slope it pauses
  int64_t least_growth = 1 << 20;  // bytes
  double least_share = 0.05;       // of all growth on the device
  size_t most_points = 256;        // looked at; the cost is quadratic
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
