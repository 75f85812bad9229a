#include "analyzer/memory/trend.h"

#include <algorithm>
#include <cmath>

namespace inquest::memory {
namespace {

std::vector<Point> Thin(const std::vector<Point>& series, size_t budget) {
  if (series.size() <= budget) return series;
  std::vector<Point> thin;
  for (size_t i = 0; i < budget; ++i) {
    thin.push_back(series[i * (series.size() - 1) / (budget - 1)]);
  }
  return thin;
}

int Sign(double value) {
  return (value > 0) - (value < 0);
}

}  // namespace

Trend FindTrend(const std::vector<Point>& series, size_t budget) {
  if (series.size() < 3) return {};
  const std::vector<Point> points = Thin(series, budget);
  std::vector<double> slopes;
  double s = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t j = i + 1; j < points.size(); ++j) {
      const double rise = points[j].y - points[i].y;
      s += Sign(rise);
      if (points[j].x > points[i].x) {
        slopes.push_back(rise / (points[j].x - points[i].x));
      }
    }
  }
  if (slopes.empty()) return {};
  const auto middle =
      slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  const double n = static_cast<double>(points.size());
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  return {*middle, (s - Sign(s)) / deviation};
}

}  // namespace inquest::memory
