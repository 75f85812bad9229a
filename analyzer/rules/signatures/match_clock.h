// SPDX-License-Identifier: Apache-2.0
// How much of the processor's time each try of a signature takes. Most tries
// are shorter than asking the kernel for that time, so the wall clock, which
// costs a tenth, measures them; the kernel is asked about a try that seems
// long, because it is or because the thread had to wait. One thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/thread_clock.h"

namespace inquest::rules {

class MatchClock {
 public:
  static constexpr std::chrono::nanoseconds kShort{20'000};

  // What follows until Lap() is a try.
  void Begin() {
    if (begun_++ % kRefresh == 0) AskKernel();
    wall_ = Wall::now();
  }

  // Nanoseconds since the last call, or since Begin().
  int64_t Lap() {
    const auto now = Wall::now();
    std::chrono::nanoseconds took = now - wall_;
    wall_ = now;
    if (took > kShort) {
      // At most what the thread had, besides the tries counted since.
      const auto before = cpu_ + counted_;
      AskKernel();
      took = std::clamp<std::chrono::nanoseconds>(cpu_ - before, {}, took);
      wall_ = Wall::now();
    } else {
      counted_ += took;
    }
    return took.count();
  }

 private:
  using Wall = std::chrono::steady_clock;
  // Other work between the tries may be counted with a long one, this many
  // lines of it.
  static constexpr uint32_t kRefresh = 16;

  void AskKernel() {
    cpu_ = ThreadClock::now();
    counted_ = {};
  }

  uint32_t begun_ = 0;
  Wall::time_point wall_;
  ThreadClock::time_point cpu_;         // when the kernel was asked
  std::chrono::nanoseconds counted_{};  // since then
};

}  // namespace inquest::rules
