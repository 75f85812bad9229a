// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/leaks/leak.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace inquest::memory {
namespace {

using Points = std::vector<Point>;

constexpr size_t kEndPart = 16;      // the last 16th of the series is its end
constexpr size_t kEarlyPart = 5;     // the first fifth is early
constexpr size_t kNoisePoints = 24;  // used by the test against noise
constexpr double kBegun = 0.05;  // this part of the growth marks its beginning
constexpr double kClearly = 12;  // growth over the residuals' spread
constexpr double kMaxCorrelation = 0.98;

// The minimum held from each step on.
Points Kept(Points points) {
  for (size_t i = points.size() - 1; i > 0; --i) {
    points[i - 1].y = std::min(points[i - 1].y, points[i].y);
  }
  return points;
}

Points StartingAt(const Points& points, size_t begin) {
  return {points.begin() + static_cast<std::ptrdiff_t>(begin), points.end()};
}

// What was kept for a while at the end, not just by the last step.
double EndLevel(const Points& kept) {
  return kept[kept.size() - 1 - kept.size() / kEndPart].y;
}

size_t FirstOfGrowth(const Points& kept) {
  const double begun =
      kept.front().y + kBegun * (EndLevel(kept) - kept.front().y);
  size_t first = 0;
  while (first + 1 < kept.size() && kept[first + 1].y <= begun) ++first;
  return first;
}

// The beginning of the rise that contains `first`.
size_t BeginOfRise(const Points& kept, size_t first) {
  while (first > 0 && kept[first - 1].y < kept[first].y) --first;
  return first;
}

double HighestBefore(const Points& points, size_t end) {
  double highest = 0;
  for (size_t i = 0; i < end; ++i) highest = std::max(highest, points[i].y);
  return highest;
}

double Significance(const Points& points) {
  const Trend trend = FindTrend(points);
  const double growth = trend.slope * (points.back().x - points.front().x);
  if (growth >= kClearly * trend.spread) return trend.significance;
  const double r = std::clamp(trend.correlation, 0.0, kMaxCorrelation);
  return trend.significance * std::sqrt((1 - r) / (1 + r));
}

// The standard deviation of the values around a line of that slope, from the
// median difference of neighbours; 0 for stairs.
double NoiseOf(const Points& points, double slope) {
  std::vector<double> off;
  for (size_t i = 1; i < points.size(); ++i) {
    const double steps = points[i].x - points[i - 1].x;
    off.push_back(std::abs(points[i].y - points[i - 1].y - slope * steps));
  }
  const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
  std::nth_element(off.begin(), middle, off.end());
  return *middle / (0.6745 * std::sqrt(2.0));
}

// The longest range of steps with hardly any growth.
double LongestPause(const Points& kept, double min_slope) {
  double longest = 0;
  for (size_t last = 0; last < kept.size(); ++last) {
    for (size_t first = 0; first < last; ++first) {
      const double steps = kept[last].x - kept[first].x;
      if (steps <= longest) break;
      if (kept[last].y - kept[first].y < min_slope * steps) longest = steps;
    }
  }
  return longest;
}

bool SlowsDown(const Points& kept, double min_ratio) {
  const auto half = kept.begin() + static_cast<std::ptrdiff_t>(kept.size() / 2);
  const double early = FindTrend({kept.begin(), half}).slope;
  const double late = FindTrend({half, kept.end()}).slope;
  return late <= 0 || late < min_ratio * early;
}

// The growth since it began; leak.h explains the tests.
struct Rise {
  Points held, kept;
  double slope = 0;
  double significance = 0;
  double steps() const { return kept.back().x - kept.front().x; }
};

bool IsSteady(const Rise& rise, const LeakLimits& limits) {
  const double noise = NoiseOf(rise.held, rise.slope);
  const double longest = limits.max_pause * rise.steps() +
                         limits.pause_of_noise * noise / rise.slope;
  return LongestPause(rise.kept, limits.pause_slope * rise.slope) <= longest &&
         !SlowsDown(rise.kept, limits.min_late_slope);
}

std::optional<Leak> Judge(const StepSeries& series, const LeakLimits& limits) {
  if (series.steps() < limits.min_steps) return {};
  const Points held = Thin(series.points(), limits.max_points);
  const Points kept = Kept(held);
  const double grown = EndLevel(kept) - kept.front().y;
  if (grown < static_cast<double>(limits.min_growth)) return {};
  const size_t first = FirstOfGrowth(kept);
  if (held.size() - first < limits.min_steps) return {};
  const bool seen_before = first > held.size() / kEarlyPart &&
                           EndLevel(kept) <= HighestBefore(held, first);
  if (seen_before) return {};
  Rise rise{StartingAt(held, first), StartingAt(kept, first)};
  rise.slope = FindTrend(rise.kept).slope;
  rise.significance = Significance(Thin(rise.held, kNoisePoints));
  if (rise.slope <= 0 || rise.significance < limits.min_significance ||
      !IsSteady(rise, limits)) {
    return {};
  }
  const Point& begin = kept[BeginOfRise(kept, first)];
  Leak leak;
  leak.bytes_per_step = std::llround(rise.slope);
  leak.first_step = std::llround(begin.x);
  leak.last_step = series.last_step();
  leak.growth_bytes = std::llround(kept.back().y - begin.y);
  leak.significance = rise.significance;
  return leak;
}

double Gained(const StepSeries& series) {
  const auto& points = series.points();
  if (points.size() < 2) return 0;
  return std::max(0.0, points.back().y - points.front().y);
}

}  // namespace

std::vector<Leak> FindLeaks(const std::vector<Site>& sites,
                            const LeakLimits& limits) {
  std::map<int, double> growth;  // by device
  for (const Site& site : sites) growth[site.device] += Gained(site.by_step);
  std::vector<Leak> leaks;
  for (size_t i = 0; i < sites.size(); ++i) {
    if (Gained(sites[i].by_step) < limits.min_share * growth[sites[i].device])
      continue;
    auto leak = Judge(sites[i].by_step, limits);
    if (!leak) continue;
    leak->site = i;
    leak->share = std::min(
        1.0, static_cast<double>(leak->growth_bytes) / growth[sites[i].device]);
    if (leak->share >= limits.min_share) leaks.push_back(*leak);
  }
  std::sort(leaks.begin(), leaks.end(), [](const Leak& a, const Leak& b) {
    return a.growth_bytes > b.growth_bytes;
  });
  return leaks;
}

}  // namespace inquest::memory
