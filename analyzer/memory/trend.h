// Whether a series grows without end: the robust slope of per-step values and
// what stands against it. Pure arithmetic, no state.
//
// Slope: Theil-Sen, the median of the slopes of all pairs (H. Theil, "A
// rank-invariant method of linear and polynomial regression analysis", 1950;
// P. K. Sen, JASA 63, 1968). Significance: Mann-Kendall's S over its standard
// deviation (M. G. Kendall, "Rank Correlation Methods").
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
  double significance = 0;  // Mann-Kendall z; above 3 is no accident
};

// Needs at least three points, otherwise all zero. Series longer than `budget`
// are thinned evenly first, since the cost is quadratic.
Trend FindTrend(const std::vector<Point>& series, size_t budget = 256);

}  // namespace inquest::memory
