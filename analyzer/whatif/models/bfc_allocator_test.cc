// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/models/bfc_allocator.h"

#include "analyzer/whatif/models/test_streams.h"
#include "tests/catch_compat.h"

namespace inquest::whatif {
namespace {

TEST_CASE("bfc: regions double with allow_growth") {
  Driver driver({});
  BfcAllocator bfc(&driver, {.limit = 100 * kMiB, .allow_growth = true});
  CHECK(bfc.Allocate(0, 100, 0));
  CHECK(bfc.totals().allocated == 256);
  CHECK(bfc.totals().reserved == 2 * kMiB);
  CHECK(bfc.Allocate(1, 2 * kMiB, 0));
  CHECK(bfc.totals().reserved == 6 * kMiB);  // the next region has 4 MiB
  // 30 MiB need a region of 8 doubled to 32; it was made larger for the
  // request, and so the next one is no larger.
  CHECK(bfc.Allocate(2, 30 * kMiB, 0));
  CHECK(bfc.totals().reserved == 38 * kMiB);
  CHECK(bfc.Allocate(3, 30 * kMiB, 0));
  CHECK(Segments(bfc) ==
        std::vector<int64_t>{32 * kMiB, 32 * kMiB, 4 * kMiB, 2 * kMiB});
  // The limit leaves 30 MiB, less than a region.
  CHECK_FALSE(bfc.Allocate(4, 31 * kMiB, 0));
  CHECK(bfc.Allocate(5, 30 * kMiB, 0));
  CHECK(bfc.totals().reserved == 100 * kMiB);
}

TEST_CASE("bfc: without growth there is only one region") {
  Driver driver({.capacity = 64 * kMiB});
  BfcAllocator bfc(&driver, {.limit = 64 * kMiB});
  CHECK(bfc.Allocate(0, 1, 0));
  CHECK(bfc.totals().reserved == 64 * kMiB);
  CHECK(bfc.LargestFree() == 64 * kMiB - 256);
}

TEST_CASE("bfc: after the driver's refusal nine tenths are tried") {
  Driver driver({.capacity = 50 * kMiB});
  BfcAllocator bfc(&driver, {.limit = 64 * kMiB});
  CHECK(bfc.Allocate(0, kMiB, 0));
  // 64, 57.6, 51.8, 46.7 MiB: the first that 25 pages hold.
  const int64_t got = bfc.totals().reserved;
  CHECK(got > 46 * kMiB);
  CHECK(got < 47 * kMiB);
}

TEST_CASE("bfc: chunks of twice the request or more are split") {
  Driver driver({});
  BfcAllocator bfc(&driver, {.limit = kMiB});
  REQUIRE(bfc.Allocate(0, 768 * kKiB, 0));
  CHECK(bfc.totals().allocated == kMiB);  // the rest is less than the request
  bfc.Free(0);
  REQUIRE(bfc.Allocate(1, 512 * kKiB, 0));
  CHECK(bfc.totals().allocated == 512 * kKiB);
  REQUIRE(bfc.Allocate(2, 512 * kKiB, 0));
  CHECK_FALSE(bfc.Allocate(3, 1, 0));
}

TEST_CASE("bfc: chunks with a rest of 128 MiB or more are split") {
  for (const int64_t rest : {127 * kMiB, 128 * kMiB}) {
    Driver driver({});
    BfcAllocator bfc(&driver, {.limit = 512 * kMiB + rest});
    REQUIRE(bfc.Allocate(0, 512 * kMiB, 0));
    const bool split = bfc.totals().allocated == 512 * kMiB;
    CHECK(split == (rest == 128 * kMiB));
  }
}

TEST_CASE("bfc: the smallest that fits is used, freed neighbours are merged") {
  Driver driver({});
  BfcAllocator bfc(&driver, {.limit = 10 * kMiB});
  for (uint32_t i = 0; i < 10; ++i) REQUIRE(bfc.Allocate(i, kMiB, 0));
  bfc.Free(2);
  bfc.Free(3);
  bfc.Free(7);
  CHECK(bfc.LargestFree() == 2 * kMiB);
  REQUIRE(bfc.Allocate(20, kMiB, 0));  // takes 7's place
  CHECK(bfc.LargestFree() == 2 * kMiB);
  bfc.Free(1);
  bfc.Free(4);
  CHECK(bfc.LargestFree() == 4 * kMiB);
}

TEST_CASE("bfc: free regions are released before a request fails") {
  for (const bool collects : {true, false}) {
    Driver driver({.capacity = 64 * kMiB});
    BfcAllocator bfc(&driver, {.limit = 64 * kMiB,
                               .allow_growth = true,
                               .garbage_collection = collects});
    REQUIRE(bfc.Allocate(0, 16 * kMiB, 0));
    REQUIRE(bfc.Allocate(1, 16 * kMiB, 0));
    REQUIRE(bfc.Allocate(2, 16 * kMiB, 0));
    bfc.Free(0);
    bfc.Free(2);
    CHECK(bfc.Allocate(3, 48 * kMiB, 0) == collects);
    CHECK(bfc.totals().reserved <= 64 * kMiB);
    CHECK(bfc.totals().released == (collects ? 1 : 0));
  }
}

TEST_CASE("bfc: what the frameworks take of a card") {
  CHECK(TensorFlowLimit(1024 * kMiB, 8) == (1024 - 225) * kMiB);
  CHECK(TensorFlowLimit(16384 * kMiB, 6) == (16384 - 500) * kMiB);
  CHECK(TensorFlowLimit(16384 * kMiB, 7) == (16384 - 1050) * kMiB);
  CHECK(TensorFlowLimit(40960 * kMiB, 8) == (40960 - 1536) * kMiB);
  CHECK(TensorFlowLimit(81920 * kMiB, 9) == (81920 - 1800) * kMiB);
}

}  // namespace
}  // namespace inquest::whatif
