// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/leaks/growth.h"

#include <algorithm>
#include <map>

#include "base/capped.h"

namespace inquest::memory {
namespace {

constexpr int64_t kManyBlocks = 16;
constexpr int64_t kTurnover = 4;  // of the growth, allocated by others
constexpr double kMaxTime = 0.5;  // of the recording
constexpr double kHour = 3.6e12;  // nanoseconds

std::map<int, int64_t> AllocatedBytes(const std::vector<Site>& sites) {
  std::map<int, int64_t> allocated;
  for (const Site& site : sites) {
    int64_t& sum = allocated[site.device];
    sum = AddCapped(sum, site.allocated_bytes);
  }
  return allocated;
}

constexpr double kBegan = 0.05;  // of the growth
constexpr double kEnded = 0.95;

// The time in which a site gained most of its growth.
int64_t GrowthTime(const Site& site, const Windows& windows) {
  const std::vector<Point>& points = site.by_step.points();
  const double from = points.front().y;
  const double gained = points.back().y - from;
  int64_t began = windows.last_time();
  for (size_t i = points.size(); i-- > 0;) {
    if (points[i].y < from + kBegan * gained) break;
    began = windows.TimeOf(static_cast<int64_t>(points[i].x));
  }
  for (const Point& one : points) {
    if (one.y < from + kEnded * gained) continue;
    return windows.TimeOf(static_cast<int64_t>(one.x)) - began;
  }
  return 0;
}

}  // namespace

int64_t Windows::TimeOf(int64_t window) const {
  if (times_.empty()) return first_time_;
  const int64_t last = ended() - 1;
  return times_[static_cast<size_t>(std::clamp<int64_t>(window, 0, last))];
}

std::vector<Growth> FindGrowth(const std::vector<Site>& sites,
                               const Windows& windows) {
  std::vector<Growth> all;
  if (windows.ended() < Windows::kFewest) return all;
  const std::map<int, int64_t> allocated = AllocatedBytes(sites);
  const auto recorded =
      static_cast<double>(windows.last_time() - windows.first_time());
  for (const Leak& leak : FindLeaks(sites)) {
    const Site& site = sites[leak.site];
    Growth growth{leak.site, leak.growth_bytes, leak.share, leak.significance};
    growth.first_time = windows.TimeOf(leak.first_step);
    growth.last_time = windows.last_time();
    const auto span = static_cast<double>(growth.last_time - growth.first_time);
    const int64_t others =
        SubtractCapped(allocated.at(site.device), site.allocated_bytes);
    if (span <= 0 ||
        static_cast<double>(GrowthTime(site, windows)) < kMaxTime * recorded ||
        site.allocations - site.frees < kManyBlocks ||
        others / kTurnover < leak.growth_bytes) {
      continue;
    }
    growth.bytes_per_hour = static_cast<int64_t>(
        std::min(9e18, static_cast<double>(leak.growth_bytes) / span * kHour));
    all.push_back(growth);
  }
  return all;
}

}  // namespace inquest::memory
