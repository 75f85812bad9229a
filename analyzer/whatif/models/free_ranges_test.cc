// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/models/free_ranges.h"

#include <algorithm>
#include <random>

#include "tests/catch_compat.h"

namespace inquest::whatif {
namespace {

TEST_CASE("free ranges: first fit takes the lowest that is large enough") {
  FreeRanges ranges;
  ranges.Add(100, 10);
  ranges.Add(200, 30);
  ranges.Add(300, 20);
  CHECK(ranges.FirstFit(5)->address == 100);
  CHECK(ranges.FirstFit(11)->address == 200);
  CHECK(ranges.FirstFit(11, 201)->address == 300);
  CHECK_FALSE(ranges.FirstFit(31));
  CHECK(ranges.largest() == 30);
  CHECK(ranges.total() == 60);
}

TEST_CASE("free ranges: neighbours are merged, and ranges are cut") {
  FreeRanges ranges;
  ranges.Add(100, 10);
  ranges.Add(120, 10);
  ranges.Add(110, 10);
  CHECK(ranges.FirstFit(30)->address == 100);
  ranges.Take(105, 10);
  CHECK(ranges.largest() == 15);
  CHECK(ranges.Find(104)->bytes == 5);
  CHECK_FALSE(ranges.Find(105));
  CHECK(ranges.Find(115)->bytes == 15);
}

// The same with one bit per unit.
TEST_CASE("free ranges: agree with an array of bits") {
  constexpr size_t kSpace = 300;
  std::mt19937 random(1);
  std::vector<bool> bits(kSpace, false);
  FreeRanges ranges;
  const auto first_fit = [&](size_t wanted) {
    size_t run = 0;
    for (size_t i = 0; i <= kSpace; ++i) {
      const bool free = i < kSpace && bits[i];
      if (!free && run >= wanted) return static_cast<int64_t>(i - run);
      run = free ? run + 1 : 0;
    }
    return int64_t{-1};
  };
  for (int i = 0; i < 20000; ++i) {
    const size_t from = random() % kSpace;
    const size_t count = std::min<size_t>(1 + random() % 20, kSpace - from);
    const bool add = random() % 2 == 0;
    for (size_t j = from; j < from + count; ++j) bits[j] = add;
    if (add) {
      ranges.Add(from, static_cast<int64_t>(count));
    } else {
      ranges.Take(from, static_cast<int64_t>(count));
    }
    const size_t wanted = 1 + random() % 40;
    const auto found = ranges.FirstFit(static_cast<int64_t>(wanted));
    const int64_t got = found ? static_cast<int64_t>(found->address) : -1;
    REQUIRE(got == first_fit(wanted));
    REQUIRE(ranges.total() == std::count(bits.begin(), bits.end(), true));
  }
}

}  // namespace
}  // namespace inquest::whatif
