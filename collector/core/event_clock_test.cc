// SPDX-License-Identifier: Apache-2.0
// The time from the processor's counter, compared with the clock.
#include "collector/core/event_clock.h"

#include <unistd.h>

#include <algorithm>

#include "tests/catch_compat.h"

namespace inquest::collector {
namespace {

// The difference of NowNs from the clock, which is read before and after it.
int64_t ClockError() {
  const int64_t before = trace::MonotonicNs();
  const int64_t now = NowNs();
  const int64_t after = trace::MonotonicNs();
  return std::max({before - now, now - after, int64_t{0}});
}

int64_t WorstOf(int times) {
  int64_t worst = 0;
  for (int i = 0; i < times; ++i) worst = std::max(worst, ClockError());
  return worst;
}

}  // namespace

TEST_CASE("before it is tied it is the clock itself") {
  UntieClock();
  CHECK(WorstOf(1000) == 0);
}

TEST_CASE("tied, it stays within microseconds of the clock") {
  for (int i = 0; i < 5; ++i) {
    TieClock();
    usleep(60'000);
  }
  CHECK(WorstOf(100'000) < 20'000);
}

TEST_CASE("a tie that is not renewed is not used for long") {
  TieClock();
  usleep(60'000);
  TieClock();
  usleep(1'200'000);
  CHECK(WorstOf(1000) == 0);
}

}  // namespace inquest::collector
