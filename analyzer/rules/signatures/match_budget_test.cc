// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/match_budget.h"

#include <chrono>
#include <thread>

#include "tests/catch_compat.h"

namespace inquest::rules {
namespace {

MatchLimits Small() {
  MatchLimits limits;
  limits.ns = 100;
  limits.ns_per_byte = 1;
  limits.ns_per_try = 0;
  limits.ns_of_log = 10;
  return limits;
}

TEST_CASE("the signatures that took most of the time are switched off") {
  MatchBudget budget(4, Small());
  budget.CountTry(0, 5);
  budget.CountTry(1, 60);
  CHECK_FALSE(budget.IsOverdrawn());
  budget.CountTry(2, 70);
  CHECK(budget.IsOverdrawn());
  std::vector<uint8_t> off(4);
  CHECK(budget.Greediest(off) == std::vector<size_t>{1, 2});
  CHECK_FALSE(budget.IsOverdrawn());  // until more is taken
  off = {0, 1, 1, 0};
  budget.CountTry(0, 1);
  CHECK(budget.Greediest(off) == std::vector<size_t>{0});
  CHECK(budget.SwitchedOff() == std::vector<size_t>{0, 1, 2});
}

TEST_CASE("the clock counts what the thread did, not its waiting") {
  MatchClock clock;
  clock.Begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(clock.Lap() < 10'000'000);
  const auto begin = ThreadClock::now();
  while (ThreadClock::now() - begin < std::chrono::milliseconds(5)) {
  }
  const int64_t took = clock.Lap();
  CHECK(took >= 4'500'000);
  CHECK(took < 20'000'000);
}

TEST_CASE("more of the log gives more time") {
  MatchBudget budget(1, Small());
  budget.CountTry(0, 150);
  CHECK(budget.IsSpent());
  budget.CountBytes(60);
  CHECK_FALSE(budget.IsSpent());
  budget.CountTry(0, 1000);
  budget.BeginPart();
  CHECK_FALSE(budget.IsSpent());
}

}  // namespace
}  // namespace inquest::rules
