// SPDX-License-Identifier: Apache-2.0
#include "base/ranges.h"

#include "tests/catch_compat.h"

namespace inquest {
namespace {

TEST_CASE("numbers in a row are told as a range") {
  CHECK(FormatRanges({}).empty());
  CHECK(FormatRanges({3}) == "3");
  CHECK(FormatRanges({3, 4}) == "3, 4");
  CHECK(FormatRanges({0, 1, 2, 3, 5, 8, 9, 10}) == "0–3, 5, 8–10");
  CHECK(FormatRanges({-2, -1, 0}) == "-2–0");
}

TEST_CASE("after so many ranges the rest is counted") {
  CHECK(FormatRanges({1, 3, 5, 7, 8}, 2) == "1, 3 and 3 more");
  CHECK(FormatRanges({1, 3}, 2) == "1, 3");
}

TEST_CASE("ranks in a sentence, and the numbers of a text") {
  CHECK(RanksInWords({3}) == "rank 3");
  CHECK(RanksInWords({0, 1, 2, 3, 7}) == "ranks 0–3, 7");
  CHECK(NumbersIn("{0, 11, 2}") == std::set<int64_t>{0, 2, 11});
  CHECK(NumbersIn("").empty());
  CHECK(NumbersIn("99999999999999999999999").empty());
}

}  // namespace
}  // namespace inquest
