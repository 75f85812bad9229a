// SPDX-License-Identifier: Apache-2.0
#include "core/free_ranges.h"

#include <algorithm>

namespace simgpu {

int FreeRanges::NewNode(Range range) {
  // xorshift: the shape of the tree needs no better randomness, and the same
  // calls always give the same tree.
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  int node = 0;
  if (spare_.empty()) {
    node = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
  } else {
    node = spare_.back();
    spare_.pop_back();
  }
  nodes_[node] = Node{range, range.size, random_, -1, -1};
  return node;
}

void FreeRanges::Update(int node) {
  Node& n = nodes_[node];
  n.max = std::max({n.range.size, MaxOf(n.left), MaxOf(n.right)});
}

// Low gets the ranges that start below `address`, high the others.
void FreeRanges::Split(int node, uint64_t address, int* low, int* high) {
  if (node < 0) {
    *low = *high = -1;
  } else if (nodes_[node].range.address < address) {
    int middle = -1;
    Split(nodes_[node].right, address, &middle, high);
    nodes_[node].right = middle;
    Update(node);
    *low = node;
  } else {
    int middle = -1;
    Split(nodes_[node].left, address, low, &middle);
    nodes_[node].left = middle;
    Update(node);
    *high = node;
  }
}

int FreeRanges::Merge(int low, int high) {
  if (low < 0) return high;
  if (high < 0) return low;
  if (nodes_[low].priority > nodes_[high].priority) {
    const int merged = Merge(nodes_[low].right, high);
    nodes_[low].right = merged;
    Update(low);
    return low;
  }
  const int merged = Merge(low, nodes_[high].left);
  nodes_[high].left = merged;
  Update(high);
  return high;
}

void FreeRanges::Insert(Range range) {
  int low = -1;
  int high = -1;
  const int node = NewNode(range);
  Split(root_, range.address, &low, &high);
  root_ = Merge(Merge(low, node), high);
  total_ += range.size;
  if (fit_ == Fit::kBest) by_size_.emplace(range.size, range.address);
}

void FreeRanges::Remove(uint64_t address) {
  int low = -1;
  int middle = -1;
  int high = -1;
  Split(root_, address, &low, &middle);
  Split(middle, address + 1, &middle, &high);
  root_ = Merge(low, high);
  if (middle < 0) return;
  const Range range = nodes_[middle].range;
  total_ -= range.size;
  if (fit_ == Fit::kBest) by_size_.erase({range.size, range.address});
  spare_.push_back(middle);
}

std::optional<Range> FreeRanges::Find(uint64_t size) const {
  return fit_ == Fit::kBest ? FindBest(size) : FindFirst(size);
}

std::optional<Range> FreeRanges::FindFirst(uint64_t size) const {
  int node = root_;
  if (MaxOf(node) < size) return std::nullopt;
  while (true) {
    const Node& n = nodes_[node];
    if (MaxOf(n.left) >= size) {
      node = n.left;
    } else if (n.range.size >= size) {
      return n.range;
    } else {
      node = n.right;
    }
  }
}

std::optional<Range> FreeRanges::FindLast(uint64_t size) const {
  int node = root_;
  if (MaxOf(node) < size) return std::nullopt;
  while (true) {
    const Node& n = nodes_[node];
    if (MaxOf(n.right) >= size) {
      node = n.right;
    } else if (n.range.size >= size) {
      return n.range;
    } else {
      node = n.left;
    }
  }
}

std::optional<Range> FreeRanges::FindBest(uint64_t size) const {
  const auto found = by_size_.lower_bound({size, 0});
  if (found == by_size_.end()) return std::nullopt;
  return Range{found->second, found->first};
}

std::optional<Range> FreeRanges::Before(uint64_t address) const {
  std::optional<Range> best;
  for (int node = root_; node >= 0;) {
    const Node& n = nodes_[node];
    if (n.range.address < address) {
      best = n.range;
      node = n.right;
    } else {
      node = n.left;
    }
  }
  return best;
}

std::optional<Range> FreeRanges::After(uint64_t address) const {
  std::optional<Range> best;
  for (int node = root_; node >= 0;) {
    const Node& n = nodes_[node];
    if (n.range.address >= address) {
      best = n.range;
      node = n.left;
    } else {
      node = n.right;
    }
  }
  return best;
}

}  // namespace simgpu
