// SPDX-License-Identifier: Apache-2.0
// The free ranges of one address space, with first, best and last fit in
// O(log n): a treap by address whose nodes know the largest range below them,
// and, for best fit, a second index by size.
//
// Used by core/device_heap.h and the memory pools; it never merges or splits
// ranges, and does not handle alignment: its owner uses multiples of one
// granule. Sizes and addresses are bytes. Not thread-safe: the owner of the
// device's mutex calls.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/config.h"

namespace simgpu {

struct Range {
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t end() const { return address + size; }
};

class FreeRanges {
 public:
  explicit FreeRanges(Fit fit) : fit_(fit) {}

  // Adds a range that overlaps none of those present.
  void Insert(Range range);
  // Removes the range that starts at `address`; it must be present.
  void Remove(uint64_t address);

  // The range to serve a request of `size` bytes from, by the policy.
  std::optional<Range> Find(uint64_t size) const;
  // The highest range of at least `size` bytes.
  std::optional<Range> FindLast(uint64_t size) const;
  // The range that ends highest below or at `address`, or that starts there
  // or above it lowest.
  std::optional<Range> Before(uint64_t address) const;
  std::optional<Range> After(uint64_t address) const;

  uint64_t total() const { return total_; }
  uint64_t largest() const { return root_ < 0 ? 0 : nodes_[root_].max; }
  size_t count() const { return nodes_.size() - spare_.size(); }

 private:
  struct Node {
    Range range;
    uint64_t max = 0;
    uint32_t priority = 0;
    int left = -1;
    int right = -1;
  };

  int NewNode(Range range);
  void Update(int node);
  void Split(int node, uint64_t address, int* low, int* high);
  int Merge(int low, int high);
  std::optional<Range> FindFirst(uint64_t size) const;
  std::optional<Range> FindBest(uint64_t size) const;
  uint64_t MaxOf(int node) const { return node < 0 ? 0 : nodes_[node].max; }

  Fit fit_;
  std::vector<Node> nodes_;
  std::vector<int> spare_;
  std::set<std::pair<uint64_t, uint64_t>> by_size_;  // best fit only
  int root_ = -1;
  uint32_t random_ = 2463534242u;
  uint64_t total_ = 0;
};

}  // namespace simgpu
