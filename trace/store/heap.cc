// SPDX-License-Identifier: Apache-2.0
#include "trace/store/heap.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/capped.h"

namespace inquest::trace {
namespace {

int64_t WholeChunks(uint64_t address, int64_t bytes) {
  constexpr uint64_t kChunk = kDriverChunk;
  const uint64_t first = (address + kChunk - 1) / kChunk;
  const uint64_t last = (address + static_cast<uint64_t>(bytes)) / kChunk;
  return last > first ? static_cast<int64_t>((last - first) * kChunk) : 0;
}

}  // namespace

std::optional<Block> MapBlocks::Find(uint64_t address) const {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return {};
  return found->second;
}

void MapBlocks::Put(uint64_t address, const Block& block) {
  if (spare_.empty()) {
    blocks_[address] = block;
    return;
  }
  Map::node_type node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = address;
  node.mapped() = block;
  auto done = blocks_.insert(std::move(node));
  if (done.inserted) return;
  done.position->second = block;
  spare_.push_back(std::move(done.node));
}

void MapBlocks::Erase(uint64_t address) {
  Map::node_type node = blocks_.extract(address);
  if (node && spare_.size() < kMaxSpare) spare_.push_back(std::move(node));
}

std::optional<std::pair<uint64_t, Block>> MapBlocks::FindIn(
    uint64_t address, int64_t bytes) const {
  const uint64_t end = address + std::max<uint64_t>(bytes, 1);
  const auto behind = blocks_.lower_bound(end);
  if (behind == blocks_.begin()) return {};
  const auto& [first, block] = *std::prev(behind);
  const uint64_t last = first + static_cast<uint64_t>(block.bytes);
  if (first < address && last <= address) return {};
  return {{first, block}};
}

void MapBlocks::Visit(const Visitor& visit) const {
  for (const auto& [address, block] : blocks_) visit(address, block);
}

std::optional<std::pair<uint64_t, Block>> Heap::FindOverlapped(
    uint64_t address, int64_t bytes) const {
  if (numbers_ == Numbers::kAddresses) return blocks_->FindIn(address, bytes);
  const auto same = blocks_->Find(address);
  if (!same) return {};
  return {{address, *same}};
}

void Heap::DropOverlapped(uint64_t address, int64_t bytes, Dropped* dropped) {
  while (const auto other = FindOverlapped(address, bytes)) {
    ++totals_.overlaps;
    totals_.live_bytes -= other->second.bytes;
    blocks_->Erase(other->first);
    if (dropped != nullptr) dropped->push_back(*other);
  }
}

void Heap::Allocate(uint64_t address, const Block& block, Dropped* dropped) {
  DropOverlapped(address, block.bytes, dropped);
  blocks_->Put(address, block);
  totals_.lowest = std::min(totals_.lowest, address);
  totals_.highest =
      std::max(totals_.highest, address + static_cast<uint64_t>(block.bytes));
  totals_.live_bytes = AddCapped(totals_.live_bytes, block.bytes);
  ++totals_.allocations;
  if (totals_.live_bytes > totals_.peak_bytes) {
    totals_.peak_bytes = totals_.live_bytes;
    totals_.peak_time = block.time;
  }
}

std::optional<Block> Heap::Free(uint64_t address) {
  const std::optional<Block> block = blocks_->Find(address);
  if (!block) {
    ++totals_.unknown_frees;
    return {};
  }
  blocks_->Erase(address);
  totals_.live_bytes = SubtractCapped(totals_.live_bytes, block->bytes);
  ++totals_.frees;
  return block;
}

void Heap::Restore(uint64_t address, const Block& block, Dropped* dropped) {
  DropOverlapped(address, block.bytes, dropped);
  blocks_->Put(address, block);
  totals_.live_bytes = AddCapped(totals_.live_bytes, block.bytes);
  --totals_.frees;
}

Gaps Heap::FindGaps() const {
  Gaps gaps;
  ForEach([&gaps](uint64_t address, int64_t bytes, const Block* block) {
    if (block != nullptr) return;
    gaps.total = AddCapped(gaps.total, bytes);
    gaps.whole_chunks =
        AddCapped(gaps.whole_chunks, WholeChunks(address, bytes));
    gaps.largest = std::max(gaps.largest, bytes);
    ++gaps.count;
  });
  return gaps;
}

}  // namespace inquest::trace
