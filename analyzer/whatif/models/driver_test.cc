// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/models/driver.h"

#include "analyzer/whatif/models/async_pool.h"
#include "analyzer/whatif/models/cuda_malloc.h"
#include "analyzer/whatif/models/test_streams.h"
#include "tests/catch_compat.h"

namespace inquest::whatif {
namespace {

TEST_CASE("driver: large requests take whole pages, small ones share them") {
  Driver driver({.capacity = 20 * kMiB});
  const auto large = driver.Allocate(3 * kMiB);
  CHECK(driver.used() == 4 * kMiB);
  const auto small = driver.Allocate(100);
  CHECK(driver.used() == 6 * kMiB);
  const auto other = driver.Allocate(kMiB);
  CHECK(driver.used() == 6 * kMiB);
  CHECK(*other == *small + 512);
  // 1 MiB and 512 bytes of the page are taken: another MiB needs a page.
  const auto next = driver.Allocate(kMiB);
  CHECK(driver.used() == 8 * kMiB);
  driver.Free(*small);
  CHECK(driver.used() == 8 * kMiB);
  driver.Free(*other);
  CHECK(driver.used() == 6 * kMiB);
  driver.Free(*large);
  driver.Free(*next);
  CHECK(driver.used() == 0);
  driver.Free(*next);  // already freed
  CHECK(driver.used() == 0);
}

TEST_CASE("driver: pages need not be neighbours, unless they must") {
  for (const bool one_piece : {false, true}) {
    Driver driver({.capacity = 8 * kMiB, .one_piece = one_piece});
    const auto a = driver.Allocate(2 * kMiB);
    const auto b = driver.Allocate(2 * kMiB);
    const auto c = driver.Allocate(2 * kMiB);
    REQUIRE(c);
    driver.Free(*b);
    // 4 MiB are free in two pieces.
    CHECK(driver.LargestFree() == (one_piece ? 2 : 4) * kMiB);
    CHECK(driver.Allocate(4 * kMiB).has_value() != one_piece);
    driver.Free(*a);
  }
}

TEST_CASE("driver: earlier blocks are in the way") {
  Driver driver({.capacity = 8 * kMiB, .one_piece = true, .base = 0});
  CHECK(driver.Place(2 * kMiB, 2 * kMiB));
  CHECK_FALSE(driver.Place(2 * kMiB, 2 * kMiB));
  CHECK(*driver.Allocate(2 * kMiB) == 0);
  CHECK(*driver.Allocate(4 * kMiB) == 4 * kMiB);
  CHECK_FALSE(driver.TakePages(1));
  driver.Free(2 * kMiB);
  CHECK(driver.TakePages(1));
  driver.GivePages(1);
  CHECK(driver.used() == 6 * kMiB);
}

TEST_CASE("cudaMalloc: held memory is counted in pages") {
  Driver driver({.capacity = 4 * kMiB});
  CudaMalloc model(&driver);
  CHECK(model.Allocate(0, 1000, 0));
  CHECK(model.totals().allocated == 1000);
  CHECK(model.totals().reserved == 2 * kMiB);
  CHECK_FALSE(model.Allocate(1, 3 * kMiB, 0));
  model.Free(0);
  CHECK(model.totals().reserved == 0);
  CHECK(model.totals().peak_reserved == 2 * kMiB);
}

TEST_CASE("cudaMallocAsync: unused pages stay and serve any request") {
  Driver driver({.capacity = 10 * kMiB});
  AsyncPool pool(&driver);
  CHECK(pool.Allocate(0, 4 * kMiB, 0));
  CHECK(pool.Allocate(1, 2 * kMiB, 0));
  CHECK(pool.Allocate(2, 4 * kMiB, 0));
  pool.Free(0);
  pool.Free(2);
  CHECK(pool.totals().reserved == 10 * kMiB);
  // 8 MiB are free in two pieces around block 1, which is enough.
  CHECK(pool.Allocate(3, 8 * kMiB, 1));
  CHECK(pool.totals().reserved == 10 * kMiB);
  pool.Free(3);
  pool.EmptyCache();
  CHECK(pool.totals().reserved == 2 * kMiB);
  CHECK_FALSE(pool.Allocate(4, 9 * kMiB, 0));
}

}  // namespace
}  // namespace inquest::whatif
