// SPDX-License-Identifier: Apache-2.0
// When a figure is the one that a test expects.
#include "authoring/ruletests/compare_figures.h"

#include "tests/catch_compat.h"

namespace inquest::ruletests {
namespace {

using List = Figure::List;

TEST_CASE("whole numbers are equal or not") {
  CHECK(Fits(17, 17));
  CHECK_FALSE(Fits(1000000, 1000001));
  CHECK_FALSE(Fits(17, "17"));
}

TEST_CASE("a size with its unit stands for what a log would round to it") {
  CHECK(Fits("2GiB", 2147483648));
  CHECK(Fits("9.10 GiB", 9770000000));
  CHECK_FALSE(Fits("2GiB", 2200000000));
  CHECK_FALSE(Fits("much", 2147483648));
}

TEST_CASE("texts are equal, and * is anything") {
  CHECK(Fits("main", "main"));
  CHECK(Fits("*positive*", "must be positive"));
  CHECK_FALSE(Fits("mai", "main"));
}

TEST_CASE("one of several values, all of several expected") {
  CHECK(Fits(48, List{48, 63}));
  CHECK_FALSE(Fits(48, List{63, 94}));
  CHECK(Fits(List{48, 63}, List{63, 48, 94}));
  CHECK_FALSE(Fits(List{48, 79}, List{63, 48, 94}));
}

TEST_CASE("truth in SQL is a number") {
  CHECK(Fits(true, 1));
  CHECK_FALSE(Fits(true, 0));
}

TEST_CASE("names of causes and rules") {
  CHECK(NamesIt("memory/*", "memory/leak", "trace.leak"));
  CHECK(NamesIt("trace.*", "memory/leak", "trace.leak"));
  CHECK_FALSE(NamesIt("memory", "memory/leak", "trace.leak"));
}

}  // namespace
}  // namespace inquest::ruletests
