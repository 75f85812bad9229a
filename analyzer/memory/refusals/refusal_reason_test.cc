// SPDX-License-Identifier: Apache-2.0
// Why a request was refused: the cases one by one, and the blocks in the way
// compared with a search of all ranges of random heaps.
#include "analyzer/memory/refusals/refusal_reason.h"

#include <algorithm>
#include <random>

#include "analyzer/memory/pool/torch_settings.h"
#include "analyzer/memory/refusals/free_space.h"
#include "base/units.h"
#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

HeapAtRefusal HeapWith(int64_t requested, int64_t unused, int64_t largest) {
  HeapAtRefusal heap;
  heap.requested = requested * kMiB;
  heap.unused = unused * kMiB;
  heap.largest = largest * kMiB;
  heap.free = heap.unused;
  heap.total = 1000 * kMiB;
  return heap;
}

void CheckReason(const HeapAtRefusal& heap, Reason reason, int64_t missing) {
  const RefusalReason found = WhyRefused(heap);
  CHECK(Word(found.reason) == Word(reason));
  CHECK(found.missing.value_or(0) == missing * kMiB);
}

TEST_CASE("each reason has its margin") {
  CheckReason(HeapWith(100, 40, 40), Reason::kCapacity, 60);
  CheckReason(HeapWith(100, 140, 40), Reason::kFragmentation, 60);
  CheckReason(HeapWith(60, 90, 40), Reason::kCapacity, 20);  // full
  HeapAtRefusal shared = HeapWith(100, 40, 40);
  shared.others = 500 * kMiB;
  CheckReason(shared, Reason::kOtherProcess, 60);
  shared.others = 50 * kMiB;  // it would still not have fitted
  CheckReason(shared, Reason::kCapacity, 60);
  HeapAtRefusal reserve = HeapWith(100, 40, 40);
  reserve.idle_in_pool = 200 * kMiB;
  CheckReason(reserve, Reason::kPoolReserve, 60);
  reserve.of_pool = true;
  CheckReason(reserve, Reason::kCapacity, 60);
  HeapAtRefusal limit = HeapWith(100, 900, 800);
  limit.of_pool = true;
  CheckReason(limit, Reason::kLimit, 0);
  HeapAtRefusal leak = HeapWith(100, 40, 40);
  leak.leaked = 800 * kMiB;
  CheckReason(leak, Reason::kLeak, 60);
  leak.leaked = 20 * kMiB;  // too little to matter
  CheckReason(leak, Reason::kCapacity, 60);
  HeapAtRefusal holes = HeapWith(100, 40, 30);  // inside chunks in use
  holes.free = 30 * kMiB;
  CheckReason(holes, Reason::kCapacity, 70);
}

TEST_CASE("fragmentation is 0 for one piece and near 1 for many tiny ones") {
  CHECK(WhyRefused(HeapWith(100, 40, 40)).fragmentation == 0.0);
  CHECK(WhyRefused(HeapWith(100, 400, 4)).fragmentation == Approx(0.99));
  CHECK_FALSE(WhyRefused(HeapWith(100, 0, 0)).fragmentation);
}

std::vector<HeapSpan> RandomHeap(std::mt19937* random) {
  std::vector<HeapSpan> heap;
  uint64_t address = 4096;
  const size_t count = 1 + (*random)() % 25;
  for (size_t i = 0; i < count; ++i) {
    if ((*random)() % 9 == 0) address += 4096;  // another segment
    HeapSpan span;
    span.address = address;
    span.bytes = 512 * (1 + (*random)() % 8);
    span.live = (*random)() % 2 == 0;
    address += static_cast<uint64_t>(span.bytes);
    heap.push_back(span);
  }
  return heap;
}

int64_t BytesOf(const std::vector<HeapSpan>& blocks) {
  int64_t bytes = 0;
  for (const HeapSpan& one : blocks) bytes += one.bytes;
  return bytes;
}

// The fewest live bytes of any range that is long enough; -1: none is.
int64_t CheapestOfAll(const std::vector<HeapSpan>& heap, int64_t requested) {
  int64_t cheapest = -1;
  for (size_t i = 0; i < heap.size(); ++i) {
    int64_t bytes = 0;
    int64_t live = 0;
    for (size_t j = i; j < heap.size(); ++j) {
      const bool apart =
          j > i &&
          heap[j - 1].address + uint64_t(heap[j - 1].bytes) != heap[j].address;
      if (apart) break;
      bytes += heap[j].bytes;
      if (heap[j].live) live += heap[j].bytes;
      if (bytes >= requested && (cheapest < 0 || live < cheapest)) {
        cheapest = live;
      }
    }
  }
  return cheapest;
}

TEST_CASE("no range is cheaper than the one that is found") {
  std::mt19937 random(7);
  for (int i = 0; i < Rounds(5000); ++i) {
    const std::vector<HeapSpan> heap = RandomHeap(&random);
    const int64_t requested = 512 * (1 + random() % 40);
    const auto blocks = BlocksInTheWay(heap, requested);
    const int64_t cheapest = CheapestOfAll(heap, requested);
    REQUIRE(BytesOf(blocks) == std::max<int64_t>(cheapest, 0));
    for (const HeapSpan& one : blocks) REQUIRE(one.live);
  }
}

TEST_CASE("a pool asks the driver for segments, not for requests") {
  TorchSettings torch;
  CHECK(torch.SegmentBytes(512) == 2 * kMiB);
  CHECK(torch.SegmentBytes(kMiB) == 2 * kMiB);
  CHECK(torch.SegmentBytes(kMiB + 512) == 20 * kMiB);
  CHECK(torch.SegmentBytes(10 * kMiB - 512) == 20 * kMiB);
  CHECK(torch.SegmentBytes(10 * kMiB) == 10 * kMiB);
  CHECK(torch.SegmentBytes(11 * kMiB) == 12 * kMiB);
  torch.expandable_segments = true;
  CHECK(torch.SegmentBytes(11 * kMiB) == 20 * kMiB);
  const FreeSpace none = MeasurePoolFree({}, 15 * kMiB, {5 * kMiB, 20 * kMiB});
  CHECK(none.unused == 0);
  CHECK(none.largest == 0);
  const FreeSpace all = MeasurePoolFree({}, 25 * kMiB, {5 * kMiB, 20 * kMiB});
  CHECK(all.largest == 25 * kMiB);
}

}  // namespace
}  // namespace inquest::memory
