#include "analyzer/memory/leak.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace inquest::memory {
namespace {

std::vector<Point> LastHalf(const std::vector<Point>& series) {
  return {series.begin() + static_cast<std::ptrdiff_t>(series.size() / 2),
          series.end()};
}

// The step from which on the site held something and only grew.
size_t FirstOfGrowth(const std::vector<Point>& series) {
  size_t first = series.size() - 1;
  while (first > 0 && series[first - 1].y <= series[first].y &&
         series[first - 1].y > 0) {
    --first;
  }
  return first;
}

std::optional<Leak> Judge(const Site& site, const LeakLimits& limits) {
  const auto& series = site.by_step;
  if (series.size() < limits.least_steps) return {};
  const Trend whole = FindTrend(series);
  if (whole.slope <= 0 || whole.significance < limits.least_significance) {
    return {};
  }
  const Trend late = FindTrend(LastHalf(series));
  if (late.slope < limits.least_late_slope * whole.slope) return {};
  const size_t first = FirstOfGrowth(series);
  Leak leak;
  leak.bytes_per_step = std::llround(whole.slope);
  leak.first_step = std::llround(series[first].x);
  leak.last_step = std::llround(series.back().x);
  leak.growth_bytes = std::llround(series.back().y - series.front().y);
  if (leak.growth_bytes < limits.least_growth) return {};
  return leak;
}

}  // namespace

std::vector<Leak> FindLeaks(const std::vector<Site>& sites,
                            const LeakLimits& limits) {
  std::map<int, double> growth;  // by device
  for (const Site& site : sites) {
    if (site.by_step.size() < 2) continue;
    const double gained = site.by_step.back().y - site.by_step.front().y;
    growth[site.device] += std::max(0.0, gained);
  }
  std::vector<Leak> leaks;
  for (size_t i = 0; i < sites.size(); ++i) {
    auto leak = Judge(sites[i], limits);
    if (!leak) continue;
    leak->site = i;
    leak->share =
        static_cast<double>(leak->growth_bytes) / growth[sites[i].device];
    if (leak->share >= limits.least_share) leaks.push_back(*leak);
  }
  std::sort(leaks.begin(), leaks.end(), [](const Leak& a, const Leak& b) {
    return a.growth_bytes > b.growth_bytes;
  });
  return leaks;
}

}  // namespace inquest::memory
