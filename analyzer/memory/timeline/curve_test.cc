// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/timeline/curve.h"

#include <algorithm>
#include <random>

#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

struct Change {
  int64_t time = 0;
  int64_t value = 0;
};

// Bursts of changes with pauses between them, as steps of training are.
std::vector<Change> Bursts(int count) {
  std::mt19937 random(11);
  std::vector<Change> changes;
  int64_t time = 1'000;
  for (int i = 0; i < count; ++i) {
    time += i % 1000 == 0 ? 50'000'000 : static_cast<int64_t>(random() % 100);
    changes.push_back({time, static_cast<int64_t>(random() % 1'000'000)});
  }
  return changes;
}

Curve CurveOf(const std::vector<Change>& changes, size_t most) {
  Curve curve(most, changes.back().time - changes.front().time);
  for (const Change& one : changes) curve.Add(one.time, one.value);
  return curve;
}

TEST_CASE("few changes are kept one by one", "[timeline]") {
  const auto changes = Bursts(500);
  const auto curve = CurveOf(changes, 500);
  REQUIRE(curve.moments().size() == 500);
  for (size_t i = 0; i < changes.size(); ++i) {
    REQUIRE(curve.moments()[i].begin == changes[i].time);
    REQUIRE(curve.moments()[i].high == changes[i].value);
  }
}

void CheckPoints(const Curve& curve, const std::vector<Change>& changes) {
  size_t next = 0;
  for (const Moment& moment : curve.moments()) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    const size_t begin = next;
    for (; next < begin + static_cast<size_t>(moment.changes); ++next) {
      low = std::min(low, changes[next].value);
      high = std::max(high, changes[next].value);
    }
    REQUIRE(moment.low == low);
    REQUIRE(moment.high == high);
    REQUIRE(moment.begin == changes[begin].time);
    REQUIRE(moment.end == changes[next - 1].time);
    REQUIRE(moment.last == changes[next - 1].value);
  }
  REQUIRE(next == changes.size());
}

TEST_CASE("each point has the extremes and the last value of its changes",
          "[timeline]") {
  const auto changes = Bursts(200'000);
  const auto curve = CurveOf(changes, 1000);
  REQUIRE(curve.moments().size() <= 2500);
  CheckPoints(curve, changes);
}

TEST_CASE("a curve that is reduced has them, too", "[timeline]") {
  const auto changes = Bursts(200'000);
  for (const size_t most : {4000, 1000, 300, 1}) {
    auto curve = CurveOf(changes, 4000);
    curve.Reduce(most);
    // Of 200 bursts each stays.
    CHECK(curve.moments().size() <= std::max<size_t>(most, 200));
    CHECK(curve.moments().size() >= 200);
    CheckPoints(curve, changes);
  }
}

TEST_CASE("no point reaches across a long pause", "[timeline]") {
  const auto curve = CurveOf(Bursts(200'000), 1000);
  for (const Moment& moment : curve.moments()) {
    REQUIRE(moment.end - moment.begin < 50'000'000);
  }
}

TEST_CASE("times that a stranger chose neither overflow nor go on for ever",
          "[timeline]") {
  Curve curve(16, 0);
  for (int64_t i = 0; i < 10'000; ++i) {
    curve.Add(i % 2 == 0 ? INT64_MIN / 4 : i * (INT64_MAX / 40'000), i);
  }
  REQUIRE(curve.moments().size() <= 1100);
  REQUIRE(curve.moments().back().last == 9'999);
}

}  // namespace
}  // namespace inquest::memory
