// SPDX-License-Identifier: Apache-2.0
// A quantity over time in a bounded number of points, whatever the number of
// changes: neighbours are joined, and a point keeps the least, the most and the
// last value of its time. Points are joined by their number of changes, so that
// a busy second keeps more of them than an idle hour, but never across a long
// pause, in which the value stayed what it was. Filled by timeline.h. Times are
// nanoseconds; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/capped.h"

namespace inquest::memory {

struct Moment {
  int64_t begin = 0;  // of the first change in it
  int64_t end = 0;    // of the last
  int64_t low = 0;
  int64_t high = 0;
  int64_t last = 0;  // from `end` to the next moment
  int64_t changes = 0;
};

class Curve {
 public:
  // At most `most` points, not counting those that a pause keeps apart; of such
  // pauses, each at least a thousandth of `span`, there are a thousand.
  Curve(size_t most, int64_t span)
      : most_(most), pause_(span / kPauses > 0 ? span / kPauses : 1) {}

  // Times that run back a little, as those of several threads do, count as the
  // latest one.
  void Add(int64_t time, int64_t value);
  // To fewer points, as if it had been made for them.
  void Reduce(size_t most);
  const std::vector<Moment>& moments() const { return moments_; }

 private:
  static constexpr int64_t kPauses = 1000;
  static constexpr int64_t kMaxChanges = int64_t{1} << 40;

  bool Joins(const Moment& before, const Moment& next) const {
    return before.changes + next.changes <= of_moment_ &&
           SubtractCapped(next.begin, before.end) < pause_;
  }
  void JoinAll();

  size_t most_;
  int64_t pause_;
  int64_t of_moment_ = 1;  // changes that a point may hold
  size_t after_joining_ = 0;
  std::vector<Moment> moments_;
};

}  // namespace inquest::memory
