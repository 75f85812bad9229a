// SPDX-License-Identifier: Apache-2.0
// Free ranges of an address space, found by first fit: the lowest one that is
// large enough. Adjacent ranges are merged. For the allocator models (driver.h,
// torch_allocator.h), which place requests in them. Each call costs
// O(log ranges): a tree by address whose nodes know the largest range below
// them. Sizes are in the caller's unit. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace inquest::whatif {

struct FreeRange {
  uint64_t address = 0;
  int64_t bytes = 0;
};

class FreeRanges {
 public:
  // Merged with all ranges that it touches or overlaps.
  void Add(uint64_t address, int64_t bytes);
  // Removes the free parts of this range.
  void Take(uint64_t address, int64_t bytes);
  // The lowest range of at least `bytes` that begins at `from` or later.
  std::optional<FreeRange> FirstFit(int64_t bytes, uint64_t from = 0) const;
  // The range that contains this address.
  std::optional<FreeRange> Find(uint64_t address) const;
  int64_t largest() const { return MostOf(root_); }
  int64_t total() const { return total_; }

 private:
  using Index = uint32_t;
  static constexpr Index kNone = UINT32_MAX;
  struct Node {
    FreeRange range;
    int64_t most = 0;  // of the bytes in this subtree
    Index left = kNone;
    Index right = kNone;
    uint32_t rank = 0;  // a parent's is above its children's
  };

  int64_t MostOf(Index node) const {
    return node == kNone ? 0 : nodes_[node].most;
  }
  void Update(Index node);
  // Splits into the ranges below `address` and the rest.
  void Split(Index node, uint64_t address, Index* below, Index* rest);
  Index Join(Index below, Index rest);
  void Insert(const FreeRange& range);
  void Erase(uint64_t address);
  void Change(uint64_t address, const FreeRange& range);
  Index NewNode(const FreeRange& range);
  std::optional<FreeRange> FirstFitIn(Index node, int64_t bytes,
                                      uint64_t from) const;
  // The last range that begins at or before `address`.
  std::optional<FreeRange> AtOrBelow(uint64_t address) const;

  std::vector<Node> nodes_;
  std::vector<Index> unused_;
  std::vector<Index> path_;  // Change's
  Index root_ = kNone;
  uint32_t seed_ = 2463534242U;
  int64_t total_ = 0;
};

}  // namespace inquest::whatif
