// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/timeline/curve.h"

#include <algorithm>

#include "base/capped.h"

namespace inquest::memory {
namespace {

void Join(Moment* into, const Moment& next) {
  into->end = next.end;
  into->low = std::min(into->low, next.low);
  into->high = std::max(into->high, next.high);
  into->last = next.last;
  into->changes += next.changes;
}

}  // namespace

void Curve::Add(int64_t time, int64_t value) {
  if (!moments_.empty()) time = std::max(time, moments_.back().end);
  const Moment one{time, time, value, value, value, 1};
  if (!moments_.empty() && Joins(moments_.back(), one)) {
    return Join(&moments_.back(), one);
  }
  moments_.push_back(one);
  // Points that pauses keep apart stay however often they are looked at.
  if (moments_.size() > std::max(most_, after_joining_ + most_ / 2)) JoinAll();
}

void Curve::JoinAll() {
  // With the times of an untrusted trace there may be any number of pauses.
  const size_t enough = most_ + static_cast<size_t>(kPauses);
  for (bool first = true; first || moments_.size() > enough; first = false) {
    of_moment_ = std::min(2 * of_moment_, kMaxChanges);
    if (!first) pause_ = AddCapped(pause_, pause_);
    size_t kept = 0;
    for (size_t i = 1; i < moments_.size(); ++i) {
      if (Joins(moments_[kept], moments_[i])) {
        Join(&moments_[kept], moments_[i]);
      } else {
        moments_[++kept] = moments_[i];
      }
    }
    moments_.resize(kept + 1);
  }
  after_joining_ = moments_.size();
}

// What pauses keep apart stays apart, so it may be more.
void Curve::Reduce(size_t most) {
  most_ = most;
  for (size_t before = moments_.size() + 1;
       moments_.size() > most_ && moments_.size() < before;) {
    before = moments_.size();
    JoinAll();
  }
}

}  // namespace inquest::memory
