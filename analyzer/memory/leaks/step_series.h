// SPDX-License-Identifier: Apache-2.0
// What a site held from step to step: the minimum between the end of a step and
// the end of the next one. This shows what was kept, and hides what is held
// only for a while (workspaces, sawtooth patterns, a buffer that is replaced).
// Filled by the site table (sites.h), read by the leak detector. Memory is
// bounded: beyond kMaxPoints, neighbours are joined by their minimum and a
// point covers twice as many steps. Bytes; one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/memory/leaks/trend.h"

namespace inquest::memory {

class StepSeries {
 public:
  static constexpr size_t kMaxPoints = 1024;

  // The site now holds `live`, which is less than before.
  void OnDecrease(int64_t live) { lowest_ = std::min(lowest_, live); }
  void EndStep(int64_t step, int64_t live);

  const std::vector<Point>& points() const { return points_; }
  size_t steps() const { return steps_; }
  int64_t last_step() const { return last_step_; }

 private:
  void Join();

  std::vector<Point> points_;
  int64_t lowest_ = INT64_MAX;  // since the end of the last step
  int64_t last_step_ = 0;
  size_t steps_ = 0;
  size_t of_point_ = 1;  // steps that a point covers
};

}  // namespace inquest::memory
