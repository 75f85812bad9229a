// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/leaks/step_series.h"

namespace inquest::memory {

void StepSeries::EndStep(int64_t step, int64_t live) {
  const int64_t least = std::min(lowest_, live);
  if (!points_.empty()) {
    points_.back().y = std::min(points_.back().y, static_cast<double>(least));
  }
  if (steps_ % of_point_ == 0) {
    if (points_.size() == kMaxPoints) Join();
    points_.push_back({static_cast<double>(step), static_cast<double>(live)});
  }
  lowest_ = live;
  last_step_ = step;
  ++steps_;
}

void StepSeries::Join() {
  for (size_t i = 0; i < kMaxPoints; i += 2) {
    points_[i / 2] = {points_[i].x, std::min(points_[i].y, points_[i + 1].y)};
  }
  points_.resize(kMaxPoints / 2);
  of_point_ *= 2;
}

}  // namespace inquest::memory
