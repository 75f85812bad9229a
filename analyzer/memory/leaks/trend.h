// SPDX-License-Identifier: Apache-2.0
// Whether a series grows: the robust slope of per-step values, and how
// significant it is. For leak.cc. Pure arithmetic, no state.
//
// Slope: Theil-Sen, the median of the slopes of all pairs (H. Theil, "A
// rank-invariant method of linear and polynomial regression analysis", 1950;
// P. K. Sen, JASA 63, 1968). Significance: Mann-Kendall's S over its standard
// deviation (M. G. Kendall, "Rank Correlation Methods"). A series of correlated
// values, such as a random walk, seems to have a trend far too often; as in
// S. Yue and C. Wang, "The Mann-Kendall Test Modified by Effective Sample Size"
// (Water Resources Management 18, 2004), the residuals' correlation says how
// many independent values it amounts to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace inquest::memory {

struct Point {
  double x = 0;  // step number
  double y = 0;  // bytes
};

struct Trend {
  double slope = 0;         // bytes per step
  double significance = 0;  // Mann-Kendall z; above 3 is significant
  double spread = 0;        // standard deviation of the residuals, bytes
  double correlation = 0;   // of one residual with the next, -1 to 1
};

// Needs at least three points, otherwise all zero. The cost is quadratic.
Trend FindTrend(const std::vector<Point>& points);

// At most `max` points: neighbours are joined by their minimum.
std::vector<Point> Thin(const std::vector<Point>& series, size_t max);

}  // namespace inquest::memory
