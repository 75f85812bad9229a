// SPDX-License-Identifier: Apache-2.0
// Families of runs with a known answer: leaks of several kinds, and healthy
// runs that only look like leaks.
#include "analyzer/memory/leaks/leak.h"

#include <cmath>
#include <functional>
#include <random>

#include "base/units.h"
#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

Site SiteOf(const std::function<double(int)>& mib, int steps) {
  Site site;
  site.device = 0;
  for (int step = 0; step < steps; ++step) {
    site.by_step.EndStep(step, std::llround(mib(step) * kMiB));
  }
  return site;
}

std::vector<Leak> Leaks(const std::function<double(int)>& mib,
                        int steps = 200) {
  return FindLeaks({SiteOf(mib, steps)});
}

TEST_CASE("steady growth is a leak of that many bytes per step") {
  const auto leaks = Leaks([](int step) { return 10 + 2.0 * step; });
  REQUIRE(leaks.size() == 1);
  CHECK(leaks[0].bytes_per_step == 2 * (1 << 20));
  CHECK(leaks[0].first_step == 0);
  CHECK(leaks[0].last_step == 199);
  CHECK(leaks[0].share == 1.0);
}

TEST_CASE("growth under noise is found with about the right slope") {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 20);
  const auto leaks =
      Leaks([&](int step) { return 100 + 1.5 * step + noise(random); });
  REQUIRE(leaks.size() == 1);
  const double slope = static_cast<double>(leaks[0].bytes_per_step) / kMiB;
  CHECK(slope > 1.3);
  CHECK(slope < 1.7);
}

TEST_CASE("a leak every tenth step is a leak, too") {
  CHECK(Leaks([](int step) { return 5.0 * (step / 10); }).size() == 1);
}

TEST_CASE("healthy families give no finding") {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(0, 20);
  CHECK(Leaks([](int) { return 100.0; }).empty());
  CHECK(Leaks([](int step) { return 100.0 + step % 10; }).empty());
  CHECK(Leaks([&](int) { return 100 + noise(random); }).empty());
  // A cache that fills up and stays; warm-up.
  CHECK(Leaks([](int step) { return std::min(step, 60) * 4.0; }).empty());
  CHECK(Leaks([](int step) { return step < 5 ? 10.0 * step : 50.0; }).empty());
  // Too small to matter, and too short to judge.
  CHECK(Leaks([](int step) { return step * 0.001; }).empty());
  CHECK(Leaks([](int step) { return step * 10.0; }, 5).empty());
}

TEST_CASE("two growing sites each get their share") {
  const auto leaks =
      FindLeaks({SiteOf([](int step) { return 3.0 * step; }, 100),
                 SiteOf([](int step) { return 1.0 * step; }, 100)});
  REQUIRE(leaks.size() == 2);
  CHECK(leaks[0].site == 0);
  CHECK(leaks[0].share == 0.75);
}

}  // namespace
}  // namespace inquest::memory
