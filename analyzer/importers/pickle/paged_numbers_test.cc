// SPDX-License-Identifier: Apache-2.0
// More numbers than stay in memory, compared with a plain list of them.
#include "analyzer/importers/pickle/paged_numbers.h"

#include <random>

#include "tests/catch_compat.h"

namespace inquest::importers {
namespace {

TEST_CASE("numbers that were moved to a file come back as they were") {
  constexpr uint64_t kCount = 5'000'000;  // 40 MB, of which 24 MiB stay
  PagedNumbers numbers;
  for (uint64_t i = 0; i < kCount; ++i) {
    if (!numbers.Set(i, i * 7)) FAIL("entry " << i);
  }
  std::mt19937_64 dice(11);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t entry = dice() % kCount;
    if (i % 2 == 0) REQUIRE(numbers.Set(entry, entry * 7));
    CHECK(numbers.At(entry) == entry * 7);
  }
  CHECK(numbers.size() == kCount);
  CHECK(numbers.At(kCount) == PagedNumbers::kNothing);
}

TEST_CASE("entries between those that were set are nothing") {
  PagedNumbers numbers;
  REQUIRE(numbers.Set(100'000, 5));
  CHECK(numbers.At(99'999) == PagedNumbers::kNothing);
  CHECK(numbers.At(100'000) == 5);
  CHECK(numbers.size() == 100'001);
}

}  // namespace
}  // namespace inquest::importers
