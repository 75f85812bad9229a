// SPDX-License-Identifier: Apache-2.0
// The calling thread's CPU time, as a std::chrono clock. For limits on work:
// time that a busy machine makes the thread wait does not count. Times of
// different threads are not comparable.
#pragma once

#include <time.h>

#include <chrono>

namespace inquest {

struct ThreadClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ThreadClock>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time_point(std::chrono::seconds(time.tv_sec) +
                      std::chrono::nanoseconds(time.tv_nsec));
  }
};

}  // namespace inquest
