// The leak detector over families of runs: how many of the leaks it finds and
// how often it cries wolf, printed family by family and gated.
#include <cstdio>
#include <cstdlib>

#include "analyzer/memory/leak.h"
#include "tests/catch_compat.h"
#include "tests/memory/families.h"

namespace inquest::memory {
namespace {

constexpr double kLeastRecall = 0.95;       // of each family that leaks
constexpr double kMostFalseAlarms = 0.025;  // in the runs of each family
constexpr double kLeastPrecision = 0.99;    // over all families

struct Score {
  size_t runs = 0, leaks = 0, found = 0, wrong = 0, disturbed = 0;
  double slope_error = 0;  // the worst, of those found
  double recall() const {
    return leaks == 0 ? 1 : double(found) / double(leaks);
  }
  double false_alarms() const { return double(disturbed) / double(runs); }
};

// For a longer look: INQUEST_LEAK_RUNS of each family, another
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

TEST_CASE("leaks are found and healthy runs are left in peace") {
  size_t found = 0;
  size_t wrong = 0;
  uint64_t seed = Number("INQUEST_LEAK_SEED", 20261122);
  const uint64_t runs = Number("INQUEST_LEAK_RUNS", uint64_t(Rounds(120)));
  std::printf("%-26s %6s %7s %7s %12s %12s\n", "family", "runs", "leaks",
              "recall", "false alarms", "slope off by");
  for (const Family& family : Families()) {
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
    CHECK(score.recall() >= kLeastRecall);
    CHECK(score.false_alarms() <= kMostFalseAlarms);
    found += score.found;
    wrong += score.wrong;
  }
  const double precision = double(found) / double(found + wrong);
  std::printf("precision over all %.4f\n", precision);
  CHECK(precision >= kLeastPrecision);
}

}  // namespace
}  // namespace inquest::memory
