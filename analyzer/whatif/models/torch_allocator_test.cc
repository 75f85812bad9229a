// SPDX-License-Identifier: Apache-2.0
// Known answers, worked out by hand from the rules in torch_allocator.h.
#include "analyzer/whatif/models/torch_allocator.h"

#include <memory>

#include "analyzer/whatif/models/test_streams.h"
#include "tests/catch_compat.h"

namespace inquest::whatif {
namespace {

struct Bench {
  explicit Bench(const std::string& text = "",
                 int64_t capacity = int64_t{8} << 30)
      : driver({.capacity = capacity}) {
    TorchSettings settings;
    REQUIRE(ParseTorchSettings(text, &settings).ok());
    torch = std::make_unique<TorchAllocator>(&driver, settings, capacity);
  }
  bool Allocate(uint32_t block, int64_t bytes, uint16_t queue = 0) {
    return torch->Allocate(block, bytes, queue);
  }
  int64_t reserved() const { return torch->totals().reserved; }
  int64_t allocated() const { return torch->totals().allocated; }

  Driver driver;
  std::unique_ptr<TorchAllocator> torch;
};

using Sizes = std::vector<int64_t>;

TEST_CASE("torch: small requests share 2 MiB, middle ones 20 MiB") {
  Bench bench;
  CHECK(bench.Allocate(0, 1));
  CHECK(bench.Allocate(1, kMiB));
  CHECK(bench.reserved() == 2 * kMiB);
  CHECK(bench.allocated() == kMiB + 512);
  CHECK(bench.Allocate(2, kMiB));  // 1 MiB less 512 bytes is left
  CHECK(bench.reserved() == 4 * kMiB);
  CHECK(bench.Allocate(3, kMiB + 1));
  CHECK(bench.Allocate(4, 10 * kMiB - 512));
  CHECK(Segments(*bench.torch) == Sizes{20 * kMiB, 2 * kMiB, 2 * kMiB});
  CHECK(bench.Allocate(5, 10 * kMiB));
  CHECK(bench.Allocate(6, 11 * kMiB));
  CHECK(Segments(*bench.torch) ==
        Sizes{20 * kMiB, 12 * kMiB, 10 * kMiB, 2 * kMiB, 2 * kMiB});
}

TEST_CASE("torch: a rest is split off above 1 MiB in the large pool") {
  Bench bench;
  CHECK(bench.Allocate(0, 19 * kMiB));  // 20 MiB: the rest is 1 MiB, kept
  CHECK(bench.allocated() == 20 * kMiB);
  bench.torch->Free(0);
  CHECK(bench.Allocate(1, 19 * kMiB - 512));
  CHECK(bench.allocated() == 19 * kMiB - 512);
  CHECK(bench.torch->LargestFree() == kMiB + 512);
}

TEST_CASE("torch: the smallest block of the same stream that fits is used") {
  Bench bench;
  for (uint32_t i = 0; i < 6; ++i)
    CHECK(bench.Allocate(i, (20 + 2 * i) * kMiB));
  for (uint32_t i = 1; i < 6; i += 2) bench.torch->Free(i);  // 22, 26, 30 MiB
  const int64_t reserved = bench.reserved();
  CHECK(bench.Allocate(10, 25 * kMiB));
  CHECK(bench.reserved() == reserved);
  CHECK(bench.torch->LargestFree() == 30 * kMiB);
  CHECK(bench.Allocate(11, 30 * kMiB, 1));  // another stream has none
  CHECK(bench.reserved() == reserved + 30 * kMiB);
}

TEST_CASE("torch: freed neighbours are merged") {
  Bench bench;
  for (uint32_t i = 0; i < 4; ++i) CHECK(bench.Allocate(i, 5 * kMiB));
  CHECK(bench.reserved() == 20 * kMiB);
  bench.torch->Free(0);
  bench.torch->Free(2);
  CHECK(bench.torch->LargestFree() == 5 * kMiB);
  bench.torch->Free(1);
  CHECK(bench.torch->LargestFree() == 15 * kMiB);
  bench.torch->Free(1);  // no such block any more
  CHECK(bench.allocated() == 5 * kMiB);
}

TEST_CASE("torch: unused segments are released when the driver has no room") {
  Bench bench("", 100 * kMiB);
  CHECK(bench.Allocate(0, 40 * kMiB));
  CHECK(bench.Allocate(1, 40 * kMiB));
  bench.torch->Free(0);
  bench.torch->Free(1);
  CHECK(bench.reserved() == 80 * kMiB);
  CHECK(bench.Allocate(2, 60 * kMiB));
  CHECK(bench.reserved() == 60 * kMiB);
  CHECK(bench.torch->totals().released == 1);
  // A split segment is not released.
  CHECK(bench.Allocate(3, 2 * kMiB));
  CHECK(bench.Allocate(4, 2 * kMiB));
  bench.torch->Free(4);
  CHECK_FALSE(bench.Allocate(5, 30 * kMiB));
  CHECK(bench.reserved() == 80 * kMiB);
  bench.torch->Free(3);
  CHECK(bench.Allocate(6, 30 * kMiB));
  CHECK(bench.reserved() == 90 * kMiB);
}

TEST_CASE("torch: empty_cache releases unsplit, unused blocks") {
  Bench bench;
  CHECK(bench.Allocate(0, 30 * kMiB));
  CHECK(bench.Allocate(1, 100));
  CHECK(bench.Allocate(2, 4 * kMiB));
  bench.torch->Free(0);
  bench.torch->EmptyCache();
  CHECK(Segments(*bench.torch) == Sizes{20 * kMiB, 2 * kMiB});
}

TEST_CASE("torch: a private pool keeps its memory") {
  Bench bench("", 60 * kMiB);
  bench.torch->MarkPrivate(1);
  CHECK(bench.Allocate(0, 40 * kMiB, 1));
  bench.torch->Free(0);
  CHECK_FALSE(bench.Allocate(1, 30 * kMiB));
  CHECK(bench.reserved() == 40 * kMiB);
  CHECK(bench.Allocate(2, 40 * kMiB, 1));
}

TEST_CASE("torch: max_split_size keeps large blocks whole") {
  Bench bench("max_split_size_mb:64");
  CHECK(bench.Allocate(0, 100 * kMiB));
  CHECK(bench.Allocate(1, 60 * kMiB));
  bench.torch->Free(0);
  // Less than 64 MiB: no oversize block for it.
  CHECK(bench.Allocate(2, 50 * kMiB));
  CHECK(bench.reserved() == 210 * kMiB);
  // Oversize, but 100 is 20 MiB more than 80.
  CHECK(bench.Allocate(3, 80 * kMiB));
  CHECK(bench.reserved() == 290 * kMiB);
  // Less than 20 MiB more: it is taken, and nothing is split off.
  CHECK(bench.Allocate(4, 80 * kMiB + 512));
  CHECK(bench.reserved() == 290 * kMiB);
  CHECK(bench.allocated() == (100 + 60 + 50 + 80) * kMiB);
}

TEST_CASE("torch: with max_split_size oversize blocks are released first") {
  Bench bench("max_split_size_mb:64", 400 * kMiB);
  CHECK(bench.Allocate(0, 100 * kMiB));
  CHECK(bench.Allocate(1, 150 * kMiB));
  CHECK(bench.Allocate(2, 30 * kMiB));
  for (uint32_t i = 0; i < 3; ++i) bench.torch->Free(i);
  // 120 are free; the smallest block of at least 125 is released, and 30 stays.
  CHECK(bench.Allocate(3, 125 * kMiB));
  CHECK(Segments(*bench.torch) == Sizes{126 * kMiB, 100 * kMiB, 30 * kMiB});
  CHECK(bench.torch->totals().released == 0);
}

TEST_CASE("torch: above the threshold garbage is collected, oldest first") {
  Bench bench("garbage_collection_threshold:0.5,per_process_memory_fraction:1",
              200 * kMiB);
  CHECK(bench.Allocate(0, 40 * kMiB));
  CHECK(bench.Allocate(1, 60 * kMiB));
  bench.torch->Free(0);  // after two searches
  CHECK(bench.Allocate(2, 62 * kMiB));
  bench.torch->Free(2);
  CHECK(bench.reserved() == 162 * kMiB);
  // 162 of 200 are held, 62 more than half. Ages are now 2 and 1, the mean 1.5:
  // the 40 MiB are released; then the mean is 1, and the 62 MiB are released
  // too.
  CHECK(bench.Allocate(3, 70 * kMiB));
  CHECK(Segments(*bench.torch) == Sizes{70 * kMiB, 60 * kMiB});
  // Without a fraction the threshold does nothing.
  Bench idle("garbage_collection_threshold:0.1", 200 * kMiB);
  CHECK(idle.Allocate(0, 40 * kMiB));
  idle.torch->Free(0);
  CHECK(idle.Allocate(1, 60 * kMiB));
  CHECK(idle.reserved() == 100 * kMiB);
}

TEST_CASE("torch: a memory fraction is a limit") {
  Bench bench("per_process_memory_fraction:0.25", 200 * kMiB);
  CHECK(bench.Allocate(0, 50 * kMiB));
  CHECK_FALSE(bench.Allocate(1, 2 * kMiB));
}

TEST_CASE("torch: divisions change the requests to the driver") {
  Bench bench("roundup_power2_divisions:2");
  CHECK(bench.Allocate(0, 33 * kMiB));  // 48 MiB
  CHECK(bench.reserved() == 48 * kMiB);
  CHECK(bench.allocated() == 48 * kMiB);
}

TEST_CASE("torch: growing segments are mapped page by page") {
  Bench bench("expandable_segments:True");
  CHECK(bench.Allocate(0, 30 * kMiB));
  CHECK(bench.reserved() == 40 * kMiB);
  CHECK(bench.allocated() == 30 * kMiB);
  CHECK(bench.Allocate(1, 25 * kMiB));  // 10 are there, 20 more are mapped
  CHECK(Segments(*bench.torch) == Sizes{60 * kMiB});
  CHECK(bench.Allocate(2, 100));
  CHECK(Segments(*bench.torch) == Sizes{60 * kMiB, 2 * kMiB});
  CHECK(bench.Allocate(3, 4 * kMiB + 1));  // rest of 512 bytes and more: split
  CHECK(bench.allocated() == 59 * kMiB + 512 + 512);
}

TEST_CASE("torch: whole free pages are unmapped, and holes mapped again") {
  Bench bench("expandable_segments:True", 100 * kMiB);
  CHECK(bench.Allocate(0, 20 * kMiB));
  CHECK(bench.Allocate(1, 50 * kMiB));  // 20 to 70, mapped to 80
  CHECK(bench.Allocate(2, 10 * kMiB));  // 70 to 80
  CHECK(bench.Allocate(3, 20 * kMiB));  // 80 to 100
  bench.torch->Free(1);
  bench.torch->EmptyCache();
  // Of 20 to 70 the pages 20 to 60 are unmapped; 60 to 70 stay.
  CHECK(bench.reserved() == 60 * kMiB);
  CHECK(Segments(*bench.torch) == Sizes{40 * kMiB, 20 * kMiB});
  // 35 MiB: the hole at 20 is the lowest, and two pages of it are enough.
  CHECK(bench.Allocate(4, 35 * kMiB));
  CHECK(bench.reserved() == 100 * kMiB);
  CHECK(Segments(*bench.torch) == Sizes{100 * kMiB});
}

TEST_CASE("torch: an empty growing segment is removed") {
  Bench bench("expandable_segments:True", 100 * kMiB);
  CHECK(bench.Allocate(0, 60 * kMiB));
  bench.torch->Free(0);
  CHECK(bench.Allocate(1, 80 * kMiB, 1));  // of another stream
  CHECK(Segments(*bench.torch) == Sizes{80 * kMiB});
  CHECK(bench.Allocate(2, 15 * kMiB));
  CHECK(bench.reserved() == 100 * kMiB);
}

TEST_CASE("torch: best fit avoids the block that could grow") {
  Bench bench("expandable_segments:True");
  CHECK(bench.Allocate(0, 20 * kMiB));
  CHECK(bench.Allocate(1, 20 * kMiB));
  CHECK(bench.Allocate(2, 30 * kMiB));  // 40 to 70, mapped to 80
  bench.torch->Free(0);                 // 20 at the bottom, 10 at the end
  // 10 MiB would fit exactly at the end; but that block could grow without
  // limit.
  CHECK(bench.Allocate(3, 10 * kMiB));
  CHECK(bench.torch->LargestFree() == 10 * kMiB);
  CHECK(bench.Allocate(4, 12 * kMiB));  // the end grows
  CHECK(bench.reserved() == 100 * kMiB);
}

TEST_CASE("torch: earlier blocks keep their places") {
  Bench bench("", 100 * kMiB);
  const PlacedBlock blocks[] = {{0, 2 * kMiB, 3 * kMiB}, {1, 9 * kMiB, kMiB}};
  REQUIRE(bench.torch->Place({0, 20 * kMiB, 0, false, false}, blocks));
  CHECK(bench.allocated() == 4 * kMiB);
  CHECK(bench.torch->LargestFree() == 10 * kMiB);
  CHECK(bench.Allocate(2, 4 * kMiB));  // between the two
  CHECK(bench.torch->LargestFree() == 10 * kMiB);
  bench.torch->Free(0);
  bench.torch->Free(1);
  CHECK(bench.torch->LargestFree() == 11 * kMiB);
  bench.torch->Free(2);
  bench.torch->EmptyCache();
  CHECK(bench.reserved() == 0);
}

TEST_CASE("torch: an earlier growing segment with a hole") {
  Bench bench("expandable_segments:True", 200 * kMiB);
  const uint64_t base = 100 * 20 * kMiB;
  const PlacedBlock low[] = {{0, base, 20 * kMiB}};
  const PlacedBlock high[] = {{1, base + 60 * kMiB, 20 * kMiB}};
  REQUIRE(bench.torch->Place({base, 20 * kMiB, 0, false, true}, low));
  REQUIRE(
      bench.torch->Place({base + 60 * kMiB, 40 * kMiB, 0, false, true}, high));
  CHECK(bench.reserved() == 60 * kMiB);
  CHECK(Segments(*bench.torch) == Sizes{40 * kMiB, 20 * kMiB});
  CHECK(bench.Allocate(2, 35 * kMiB));  // fills the hole
  CHECK(Segments(*bench.torch) == Sizes{100 * kMiB});
}

}  // namespace
}  // namespace inquest::whatif
