// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/leaks/trend.h"

#include <algorithm>
#include <cmath>

namespace inquest::memory {
namespace {

int Sign(double value) {
  return (value > 0) - (value < 0);
}

double Median(std::vector<double>* values) {
  const auto middle =
      values->begin() + static_cast<std::ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

// The residuals of the line: their spread, and how each depends on the last.
void MeasureResiduals(const std::vector<Point>& points, Trend* trend) {
  const auto n = static_cast<double>(points.size());
  double mean = 0;
  for (const Point& one : points) mean += (one.y - trend->slope * one.x) / n;
  double squares = 0;
  double products = 0;
  double before = 0;
  for (const Point& one : points) {
    const double rest = one.y - trend->slope * one.x - mean;
    squares += rest * rest;
    products += rest * before;
    before = rest;
  }
  trend->spread = std::sqrt(squares / n);
  trend->correlation = squares > 0 ? products / squares : 0;
}

}  // namespace

std::vector<Point> Thin(const std::vector<Point>& series, size_t max) {
  const size_t group = (series.size() + max - 1) / std::max<size_t>(max, 1);
  if (group <= 1) return series;
  std::vector<Point> thin;
  for (size_t i = 0; i < series.size(); ++i) {
    if (i % group == 0) thin.push_back(series[i]);
    thin.back().y = std::min(thin.back().y, series[i].y);
  }
  return thin;
}

Trend FindTrend(const std::vector<Point>& points) {
  if (points.size() < 3) return {};
  std::vector<double> slopes;
  slopes.reserve(points.size() * (points.size() - 1) / 2);
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
  Trend trend;
  trend.slope = Median(&slopes);
  const auto n = static_cast<double>(points.size());
  const double deviation = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  trend.significance = (s - Sign(s)) / deviation;
  MeasureResiduals(points, &trend);
  return trend;
}

}  // namespace inquest::memory
