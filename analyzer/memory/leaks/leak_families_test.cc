// SPDX-License-Identifier: Apache-2.0
// Runs the leak detector on families of runs and prints and checks, family by
// family, its recall and its false alarms.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "analyzer/memory/leaks/families/families.h"
#include "analyzer/memory/leaks/families/held_out_families.h"
#include "analyzer/memory/leaks/leak.h"
#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

constexpr double kMinRecall = 0.95;        // of each family that leaks
constexpr double kMaxFalseAlarms = 0.025;  // in the runs of each family
constexpr double kMinPrecision = 0.99;     // over all families

struct Score {
  size_t runs = 0, leaks = 0, found = 0, wrong = 0, disturbed = 0;
  double slope_error = 0;  // the worst, of those found
  double recall() const {
    return leaks == 0 ? 1 : double(found) / double(leaks);
  }
  double false_alarms() const { return double(disturbed) / double(runs); }
};

// For a longer test: INQUEST_LEAK_RUNS of each family, another
// INQUEST_LEAK_SEED.
uint64_t Number(const char* variable, uint64_t otherwise) {
  const char* wanted = getenv(variable);
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

void Judge(const MadeRun& run, Score* score) {
  ++score->runs;
  score->leaks += run.leaking;
  const size_t wrong_before = score->wrong;
  for (const Leak& leak : FindLeaks(run.sites.sites())) {
    const int64_t stack = run.sites.sites()[leak.site].stack;
    if (stack >= kFirstHealthyStack) {
      ++score->wrong;
      continue;
    }
    ++score->found;
    if (stack != kFirstLeakingStack || run.bytes_per_step == 0) continue;
    score->slope_error = std::max(
        score->slope_error,
        std::abs(double(leak.bytes_per_step) / run.bytes_per_step - 1));
  }
  if (score->wrong > wrong_before) ++score->disturbed;
}

struct Total {
  size_t found = 0, wrong = 0, leaks = 0;
  double precision() const { return double(found) / double(found + wrong); }
  double recall() const { return double(found) / double(leaks); }
};

struct Gate {
  double recall;        // of each family that leaks, at least
  double false_alarms;  // in the runs of each family, at most
};

using GateOf = std::function<Gate(const std::string& family)>;

Total MeasureAll(const std::vector<Family>& families, const GateOf& gate_of) {
  Total total;
  uint64_t seed = Number("INQUEST_LEAK_SEED", 20261122);
  const uint64_t runs = Number("INQUEST_LEAK_RUNS", uint64_t(Rounds(120)));
  std::printf("%-26s %6s %7s %7s %12s %12s\n", "family", "runs", "leaks",
              "recall", "false alarms", "slope off by");
  for (const Family& family : families) {
    Random random(seed += 1000);
    Score score;
    for (uint64_t i = 0; i < runs; ++i) {
      MadeRun run;
      family.make(&random, &run);
      Judge(run, &score);
    }
    std::printf("%-26s %6zu %7zu %7.3f %12.4f %12.2f\n", family.name.c_str(),
                score.runs, score.leaks, score.recall(), score.false_alarms(),
                score.slope_error);
    INFO(family.name);
    const Gate gate = gate_of(family.name);
    CHECK(score.recall() >= gate.recall);
    CHECK(score.false_alarms() <= gate.false_alarms);
    total.found += score.found;
    total.wrong += score.wrong;
    total.leaks += score.leaks;
  }
  std::printf("over all: precision %.4f, recall %.4f\n", total.precision(),
              total.recall());
  return total;
}

TEST_CASE("leaks are found and healthy runs are not reported") {
  const Total total = MeasureAll(Families(), [](const std::string&) {
    return Gate{kMinRecall, kMaxFalseAlarms};
  });
  CHECK(total.precision() >= kMinPrecision);
}

// As measured the first time, without changing the detector. It cannot
// distinguish two cases: twenty to fifty blocks kept at random moments, with
// long pauses between them, look like stairs; and new shapes that become rarer
// look like such a leak while they last. Allowing longer pauses finds 9 % more
// of the former and reports 1.3 % more of the latter.
Gate HeldOutGate(const std::string& family) {
  Gate rates{0.95, 0.01};
  if (family == "rare errors") rates.recall = 0.71;
  if (family == "rare shapes") rates.false_alarms = 0.05;
  const double runs =
      double(Number("INQUEST_LEAK_RUNS", uint64_t(Rounds(120))));
  const auto by_chance = [=](double rate) {
    return 3 * std::sqrt(rate * (1 - rate) / runs);
  };
  return {rates.recall - by_chance(rates.recall),
          rates.false_alarms + by_chance(rates.false_alarms)};
}

TEST_CASE(
    "leaks are found in families that were not used to choose the limits") {
  std::vector<Family> families = HeldOutLeaks();
  for (Family& one : HeldOutHealthy()) families.push_back(std::move(one));
  const Total total = MeasureAll(families, HeldOutGate);
  CHECK(total.precision() >= kMinPrecision);
  CHECK(total.recall() >= kMinRecall);
}

}  // namespace
}  // namespace inquest::memory
