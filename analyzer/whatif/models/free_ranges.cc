// SPDX-License-Identifier: Apache-2.0
// A treap (Aragon and Seidel, "Randomized search trees", 1989): a search tree
// by address that is a heap by ranks drawn at random, always the same ones.
#include "analyzer/whatif/models/free_ranges.h"

#include <algorithm>

namespace inquest::whatif {
namespace {

uint64_t EndOf(const FreeRange& range) {
  return range.address + static_cast<uint64_t>(range.bytes);
}

}  // namespace

void FreeRanges::Update(Index node) {
  Node& one = nodes_[node];
  one.most = std::max({one.range.bytes, MostOf(one.left), MostOf(one.right)});
}

void FreeRanges::Split(Index node, uint64_t address, Index* below,
                       Index* rest) {
  if (node == kNone) {
    *below = *rest = kNone;
    return;
  }
  Index part = kNone;
  if (nodes_[node].range.address < address) {
    Split(nodes_[node].right, address, &part, rest);
    nodes_[node].right = part;
    *below = node;
  } else {
    Split(nodes_[node].left, address, below, &part);
    nodes_[node].left = part;
    *rest = node;
  }
  Update(node);
}

FreeRanges::Index FreeRanges::Join(Index below, Index rest) {
  if (below == kNone) return rest;
  if (rest == kNone) return below;
  if (nodes_[below].rank > nodes_[rest].rank) {
    const Index right = Join(nodes_[below].right, rest);
    nodes_[below].right = right;
    Update(below);
    return below;
  }
  const Index left = Join(below, nodes_[rest].left);
  nodes_[rest].left = left;
  Update(rest);
  return rest;
}

FreeRanges::Index FreeRanges::NewNode(const FreeRange& range) {
  Index node = static_cast<Index>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back();
  } else {
    node = unused_.back();
    unused_.pop_back();
  }
  seed_ ^= seed_ << 13;
  seed_ ^= seed_ >> 17;
  seed_ ^= seed_ << 5;
  nodes_[node] = {range, range.bytes, kNone, kNone, seed_};
  return node;
}

void FreeRanges::Insert(const FreeRange& range) {
  total_ += range.bytes;
  Index below = kNone;
  Index rest = kNone;
  Split(root_, range.address, &below, &rest);
  root_ = Join(Join(below, NewNode(range)), rest);
}

void FreeRanges::Erase(uint64_t address) {
  Index below = kNone;
  Index one = kNone;
  Index rest = kNone;
  Split(root_, address, &below, &rest);
  Split(rest, address + 1, &one, &rest);
  if (one != kNone) {
    total_ -= nodes_[one].range.bytes;
    unused_.push_back(one);
  }
  root_ = Join(below, rest);
}

std::optional<FreeRange> FreeRanges::AtOrBelow(uint64_t address) const {
  std::optional<FreeRange> found;
  for (Index node = root_; node != kNone;) {
    const Node& one = nodes_[node];
    if (one.range.address <= address) found = one.range;
    node = one.range.address <= address ? one.right : one.left;
  }
  return found;
}

std::optional<FreeRange> FreeRanges::Find(uint64_t address) const {
  const auto found = AtOrBelow(address);
  if (!found || EndOf(*found) <= address) return {};
  return found;
}

// Changes the range that begins at `address`; the order of ranges stays.
void FreeRanges::Change(uint64_t address, const FreeRange& range) {
  path_.clear();
  for (Index node = root_; node != kNone;) {
    path_.push_back(node);
    const uint64_t here = nodes_[node].range.address;
    if (here == address) break;
    node = here < address ? nodes_[node].right : nodes_[node].left;
  }
  total_ += range.bytes - nodes_[path_.back()].range.bytes;
  nodes_[path_.back()].range = range;
  for (auto at = path_.rbegin(); at != path_.rend(); ++at) Update(*at);
}

void FreeRanges::Add(uint64_t address, int64_t bytes) {
  if (bytes <= 0) return;
  FreeRange range{address, bytes};
  const auto last = AtOrBelow(EndOf(range));
  if (!last || EndOf(*last) < address) return Insert(range);
  // The last adjacent range grows and replaces the others.
  const auto join = [&](const FreeRange& other) {
    const uint64_t end = std::max(EndOf(other), EndOf(range));
    range.address = std::min(other.address, range.address);
    range.bytes = static_cast<int64_t>(end - range.address);
  };
  join(*last);
  while (last->address > 0) {
    const auto other = AtOrBelow(last->address - 1);
    if (!other || EndOf(*other) < range.address) break;
    join(*other);
    Erase(other->address);
  }
  Change(last->address, range);
}

void FreeRanges::Take(uint64_t address, int64_t bytes) {
  if (bytes <= 0) return;
  const uint64_t end = address + static_cast<uint64_t>(bytes);
  while (const auto found = AtOrBelow(end - 1)) {
    if (EndOf(*found) <= address) return;
    const FreeRange front{found->address,
                          static_cast<int64_t>(address - found->address)};
    const FreeRange back{end, static_cast<int64_t>(EndOf(*found) - end)};
    if (found->address < address) {
      Change(found->address, front);
      if (EndOf(*found) > end) Insert(back);
    } else if (EndOf(*found) > end) {
      Change(found->address, back);
    } else {
      Erase(found->address);
    }
  }
}

std::optional<FreeRange> FreeRanges::FirstFitIn(Index node, int64_t bytes,
                                                uint64_t from) const {
  if (MostOf(node) < bytes || node == kNone) return {};
  const Node& one = nodes_[node];
  if (one.range.address < from) return FirstFitIn(one.right, bytes, from);
  if (const auto lower = FirstFitIn(one.left, bytes, from)) return lower;
  if (one.range.bytes >= bytes) return one.range;
  return FirstFitIn(one.right, bytes, from);
}

std::optional<FreeRange> FreeRanges::FirstFit(int64_t bytes,
                                              uint64_t from) const {
  return FirstFitIn(root_, std::max<int64_t>(bytes, 1), from);
}

}  // namespace inquest::whatif
