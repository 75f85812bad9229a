// SPDX-License-Identifier: Apache-2.0
// The allocator against a naive model: a list of live blocks in address order.
#include <map>
#include <random>
#include <vector>

#include "core/device_heap.h"
#include "tests/catch_compat.h"

namespace simgpu {
namespace {

constexpr uint64_t kBase = 0x302000000;

uint64_t Taken(uint64_t bytes) {
  const uint64_t granule = bytes <= kSmallLimit ? kGranule : kPage;
  return (bytes + granule - 1) / granule * granule;
}

// What must hold for every policy: blocks are inside the heap, disjoint and
// aligned.
class Model {
 public:
  Model(uint64_t size) : size_(size) {}

  void Add(uint64_t address, uint64_t bytes) {
    const uint64_t taken = Taken(bytes);
    REQUIRE(address >= kBase);
    REQUIRE(address + taken <= kBase + size_);
    REQUIRE(address % (bytes <= kSmallLimit ? kGranule : kPage) == 0);
    if (bytes <= kSmallLimit) {
      REQUIRE(address / kPage == (address + taken - 1) / kPage);
    }
    const auto next = live_.lower_bound(address);
    if (next != live_.end()) REQUIRE(address + taken <= next->first);
    if (next != live_.begin()) {
      const auto before = std::prev(next);
      REQUIRE(before->first + Taken(before->second) <= address);
    }
    live_[address] = bytes;
  }
  void Remove(uint64_t address) { live_.erase(address); }

  // Pages with a live block in them, by looking at each page.
  uint64_t UsedBytes() const {
    std::map<uint64_t, bool> pages;
    for (const auto& [address, bytes] : live_) {
      for (uint64_t a = address; a < address + Taken(bytes); a += kGranule) {
        pages[a / kPage] = true;
        if (bytes > kSmallLimit) a += kPage - kGranule;
      }
    }
    return pages.size() * kPage;
  }
  // The longest run of pages without a live block.
  uint64_t LargestFree() const {
    std::vector<bool> used(size_ / kPage, false);
    for (const auto& [address, bytes] : live_) {
      const uint64_t first = (address - kBase) / kPage;
      const uint64_t last = (address + Taken(bytes) - 1 - kBase) / kPage;
      for (uint64_t p = first; p <= last; ++p) used[p] = true;
    }
    uint64_t best = 0;
    uint64_t run = 0;
    for (const bool page : used) {
      run = page ? 0 : run + 1;
      best = std::max(best, run);
    }
    return best * kPage;
  }
  // The lowest address at which `pages` free pages lie in a row, or 0.
  uint64_t FirstFit(uint64_t bytes) const {
    uint64_t at = kBase;
    for (const auto& [address, live] : live_) {
      const uint64_t page = address / kPage * kPage;
      if (page >= at && page - at >= Taken(bytes)) return at;
      at = std::max(at, (address + Taken(live) + kPage - 1) / kPage * kPage);
    }
    return kBase + size_ - at >= Taken(bytes) ? at : 0;
  }
  const std::map<uint64_t, uint64_t>& live() const { return live_; }

 private:
  uint64_t size_;
  std::map<uint64_t, uint64_t> live_;
};

void RunRandom(unsigned seed, Fit fit, uint64_t largest) {
  constexpr uint64_t kSize = 256 * kPage;
  DeviceHeap heap(kBase, kSize, fit);
  Model model(kSize);
  std::mt19937_64 random(seed);
  for (int i = 0; i < Rounds(4000); ++i) {
    if (random() % 5 < 3) {
      const uint64_t bytes = random() % largest + 1;
      const uint64_t expected = bytes > kSmallLimit ? model.FirstFit(bytes) : 0;
      const auto got = heap.Allocate(bytes);
      if (bytes > kSmallLimit) {
        REQUIRE(got.has_value() == (expected != 0));
        if (got && fit == Fit::kFirst) REQUIRE(*got == expected);
      }
      if (got) model.Add(*got, bytes);
    } else if (!model.live().empty()) {
      auto victim = model.live().begin();
      std::advance(victim, random() % model.live().size());
      const uint64_t address = victim->first;
      REQUIRE(heap.Free(address));
      model.Remove(address);
      REQUIRE_FALSE(heap.Free(address));
    }
    REQUIRE(heap.live_count() == model.live().size());
    if (i % 64 == 0) {
      REQUIRE(heap.used_bytes() == model.UsedBytes());
      REQUIRE(heap.largest_free() == model.LargestFree());
    }
  }
  while (!model.live().empty()) {
    heap.Free(model.live().begin()->first);
    model.Remove(model.live().begin()->first);
  }
  REQUIRE(heap.free_bytes() == kSize);
  REQUIRE(heap.largest_free() == kSize);
}

}  // namespace

TEST_CASE("random streams agree with the model") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    RunRandom(seed, Fit::kFirst, 24 << 20);
    RunRandom(seed, Fit::kBest, 24 << 20);
    RunRandom(seed, Fit::kFirst, 64 << 10);
    RunRandom(seed, Fit::kBest, 2 << 20);
  }
}

TEST_CASE("half-free chunks fragment") {
  DeviceHeap heap(kBase, 16 * kPage, Fit::kFirst);
  std::vector<uint64_t> blocks;
  while (const auto address = heap.Allocate(512 << 10)) {
    blocks.push_back(*address);
  }
  REQUIRE(blocks.size() == 64);
  for (size_t i = 0; i < blocks.size(); i += 2) heap.Free(blocks[i]);
  REQUIRE(heap.free_bytes() == 0);
  REQUIRE_FALSE(heap.Allocate(2 << 20).has_value());
  REQUIRE(heap.Allocate(512 << 10).has_value());
}

TEST_CASE("best fit takes the smallest hole") {
  DeviceHeap heap(kBase, 32 * kPage, Fit::kBest);
  std::vector<uint64_t> a;
  for (const uint64_t pages : {6, 1, 3, 1, 4, 1}) {
    a.push_back(*heap.Allocate(pages * kPage));
  }
  heap.Free(a[0]);
  heap.Free(a[2]);
  heap.Free(a[4]);
  REQUIRE(*heap.Allocate(3 * kPage) == a[2]);
  REQUIRE(*heap.Allocate(4 * kPage) == a[4]);
  REQUIRE(*heap.Allocate(5 * kPage) == a[0]);
}

TEST_CASE("pages come in pieces and go back whole") {
  DeviceHeap heap(kBase, 8 * kPage, Fit::kFirst);
  std::vector<uint64_t> a;
  for (int i = 0; i < 8; ++i) a.push_back(*heap.Allocate(kPage));
  for (int i = 0; i < 8; i += 2) heap.Free(a[static_cast<size_t>(i)]);
  REQUIRE_FALSE(heap.Allocate(2 * kPage).has_value());
  const auto pieces = heap.TakePages(3 * kPage);
  REQUIRE(pieces.has_value());
  REQUIRE(pieces->size() == 3);
  heap.ReturnPages(*pieces);
  REQUIRE(heap.free_bytes() == 4 * kPage);
}

TEST_CASE("impossible requests are refused") {
  DeviceHeap heap(kBase, 4 * kPage, Fit::kFirst);
  REQUIRE_FALSE(heap.Allocate(0).has_value());
  REQUIRE_FALSE(heap.Allocate(~uint64_t{0}).has_value());
  REQUIRE_FALSE(heap.Allocate(5 * kPage).has_value());
  REQUIRE_FALSE(heap.TakePages(~uint64_t{0}).has_value());
  REQUIRE_FALSE(heap.Free(kBase));
  REQUIRE(heap.AllocateTop(kPage) == kBase + 3 * kPage);
}

}  // namespace simgpu
