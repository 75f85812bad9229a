// SPDX-License-Identifier: Apache-2.0
// Compares the heap with a very simple model: one flag per page.
#include "trace/store/heap.h"

#include <algorithm>
#include <random>
#include <vector>

#include "analyzer/memory/refusals/free_space.h"
#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

using trace::Block;
using trace::Heap;

constexpr int64_t kPage = 512;
constexpr uint64_t kBase = 0x7f0000000000;
constexpr size_t kPages = 200;

class Pages {
 public:
  void Set(size_t first, size_t count, bool live) {
    for (size_t i = first; i < first + count; ++i) live_[i] = live;
    if (live) {
      lowest_ = std::min(lowest_, first);
      highest_ = std::max(highest_, first + count);
    }
  }
  bool IsFree(size_t first, size_t count) const {
    for (size_t i = first; i < first + count; ++i) {
      if (i >= kPages || live_[i]) return false;
    }
    return true;
  }
  int64_t Live() const {
    return std::count(live_.begin(), live_.end(), true) * kPage;
  }
  Gaps FindGaps() const {
    Gaps gaps;
    int64_t run = 0;
    for (size_t i = lowest_; i <= highest_; ++i) {
      const bool gap = i < highest_ && !live_[i];
      if (gap) run += kPage;
      if (!gap && run > 0) {
        gaps.total += run;
        gaps.largest = std::max(gaps.largest, run);
        ++gaps.count;
        run = 0;
      }
    }
    return gaps;
  }

 private:
  std::vector<bool> live_ = std::vector<bool>(kPages);
  size_t lowest_ = kPages;
  size_t highest_ = 0;
};

uint64_t Address(size_t page) {
  return kBase + page * kPage;
}

TEST_CASE("heap agrees with a page map on random streams") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    Heap heap;
    Pages pages;
    std::map<size_t, size_t> live;  // first page -> count
    for (int64_t event = 1; event <= 2000; ++event) {
      const size_t first = random() % kPages;
      const size_t count = 1 + random() % 12;
      if (pages.IsFree(first, count)) {
        Block block;
        block.bytes = static_cast<int64_t>(count) * kPage;
        block.event = event;
        heap.Allocate(Address(first), block);
        pages.Set(first, count, true);
        live[first] = count;
      } else if (!live.empty()) {
        auto victim = live.begin();
        std::advance(victim, random() % live.size());
        REQUIRE(heap.Free(Address(victim->first)).has_value());
        pages.Set(victim->first, victim->second, false);
        live.erase(victim);
      }
      const Gaps expected = pages.FindGaps();
      const Gaps found = heap.FindGaps();
      REQUIRE(heap.live_bytes() == pages.Live());
      REQUIRE(found.total == expected.total);
      REQUIRE(found.largest == expected.largest);
      REQUIRE(found.count == expected.count);
      REQUIRE(found.whole_chunks <= found.total);
    }
    REQUIRE(heap.overlaps() == 0);
    REQUIRE(heap.unknown_frees() == 0);
  }
}

TEST_CASE("heap counts impossible events and continues") {
  Heap heap;
  heap.Allocate(Address(0), {4 * kPage, 1, 0, 0, 0, 1});
  CHECK_FALSE(heap.Free(Address(1)).has_value());
  CHECK(heap.unknown_frees() == 1);
  heap.Allocate(Address(2), {4 * kPage, 2, 0, 0, 0, 1});
  CHECK(heap.overlaps() == 1);
  CHECK(heap.live_bytes() == 4 * kPage);
  CHECK(heap.peak_bytes() == 4 * kPage);
}

TEST_CASE("a hole with a live block in its chunk is not a whole chunk") {
  constexpr int64_t kQuarter = kDriverChunk / 4;
  Heap heap;
  for (uint64_t i = 0; i < 12; ++i) {
    heap.Allocate(kBase + i * kQuarter, {kQuarter, 1, 0, 0, 0, 1});
  }
  for (const uint64_t i : {1, 4, 5, 6, 7}) heap.Free(kBase + i * kQuarter);
  const Gaps gaps = heap.FindGaps();
  CHECK(gaps.total == 5 * kQuarter);
  CHECK(gaps.whole_chunks == kDriverChunk);
  // Three chunks were taken; the driver counts one of them as free again.
  const FreeSpace space =
      MeasureFree(gaps, 7 * kQuarter, kDriverChunk, 12 * kQuarter);
  CHECK(space.unused == 5 * kQuarter);
  CHECK(space.largest == kDriverChunk);
  // If only the live blocks had memory, holes have none.
  CHECK(MeasureFree(gaps, 7 * kQuarter, 0, 7 * kQuarter).unused == 0);
}

TEST_CASE("a failed free is undone") {
  Heap heap;
  heap.Allocate(Address(0), {kPage, 1, 0, 0, 0, 1});
  const auto block = heap.Free(Address(0));
  REQUIRE(block.has_value());
  heap.Restore(Address(0), *block);
  CHECK(heap.live_bytes() == kPage);
  CHECK(heap.frees() == 0);
}

}  // namespace
}  // namespace inquest::memory
