// The processor's time of the calling thread, as a clock of std::chrono. For
// limits on what work may take: a busy machine that lets a thread wait does not
// use them up. Times of two threads do not compare.
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
