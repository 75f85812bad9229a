// SPDX-License-Identifier: Apache-2.0
// Handing out, splitting, merging; the rest is in torch_expandable.cc,
// torch_release.cc and torch_placement.cc.
#include "analyzer/whatif/models/torch_allocator.h"

#include <algorithm>

namespace inquest::whatif {
namespace {

constexpr int64_t kSmallSize = memory::kTorchSmallSize;
constexpr int64_t kSmallBuffer = 2 << 20;
constexpr int64_t kMinLargeAlloc = 10 << 20;
constexpr int64_t kRoundLarge = 2 << 20;
constexpr int64_t kMaxRequest = int64_t{1} << 42;
constexpr uint64_t kGrowingBase = uint64_t{1} << 50;

}  // namespace

TorchAllocator::TorchAllocator(Driver* driver, const TorchSettings& settings,
                               int64_t device_bytes)
    : driver_(driver),
      settings_(settings),
      allowed_(settings.memory_fraction
                   ? static_cast<int64_t>(*settings.memory_fraction *
                                          static_cast<double>(device_bytes))
                   : INT64_MAX),
      collects_(settings.memory_fraction &&
                settings.garbage_collection_threshold > 0),
      address_space_(device_bytes + device_bytes / 8),
      next_growing_(kGrowingBase) {}

TorchAllocator::Pool* TorchAllocator::PoolOf(uint16_t queue, bool small) {
  while (queues_.size() <= queue) {
    queues_.push_back(std::make_unique<Queue>());
    queues_.back()->small.small = true;
  }
  return small ? &queues_[queue]->small : &queues_[queue]->large;
}

void TorchAllocator::MarkPrivate(uint16_t queue) {
  PoolOf(queue, true)->is_private = true;
  PoolOf(queue, false)->is_private = true;
}

TorchAllocator::Index TorchAllocator::NewBlock(Pool* pool, uint64_t address,
                                               int64_t bytes) {
  auto index = static_cast<Index>(blocks_.size());
  if (unused_.empty()) {
    blocks_.emplace_back();
  } else {
    index = unused_.back();
    unused_.pop_back();
    blocks_[index] = {};
  }
  blocks_[index].pool = pool;
  blocks_[index].address = address;
  blocks_[index].bytes = bytes;
  return index;
}

void TorchAllocator::Drop(Index block) {
  unused_.push_back(block);
}

bool TorchAllocator::Unsplit(Index block) const {
  return blocks_[block].prev == kNone && blocks_[block].next == kNone;
}

void TorchAllocator::InsertFree(Index index) {
  Block& block = blocks_[index];
  Pool& pool = *block.pool;
  pool.free.insert({block.bytes, block.address, index});
  const bool whole = block.growing == kNone && Unsplit(index);
  if (whole || HasWholePage(index)) pool.releasable.insert(index);
  if (!whole || !collects_ || pool.small || pool.is_private) return;
  block.born = searches_;
  ages_.emplace(block.born, index);
  ages_sum_ += block.born;
}

void TorchAllocator::EraseFree(Index index) {
  const Block& block = blocks_[index];
  block.pool->free.erase({block.bytes, block.address, index});
  block.pool->releasable.erase(index);
  if (!ages_.empty() && ages_.erase({block.born, index}) > 0) {
    ages_sum_ -= block.born;
  }
}

// get_allocation_size
int64_t TorchAllocator::SegmentSize(int64_t rounded) const {
  if (rounded <= kSmallSize) return kSmallBuffer;
  if (rounded < kMinLargeAlloc) return settings_.large_segment_size;
  return RoundUp(rounded, kRoundLarge);
}

// should_split
bool TorchAllocator::ShouldSplit(const Block& block, int64_t rounded) const {
  return settings_.SplitsOff(rounded, block.bytes - rounded,
                             settings_.expandable_segments);
}

// Part of get_free_block: an oversize block is used only for oversize requests
// that do not waste too much of it.
bool TorchAllocator::AllowedWhole(int64_t block, int64_t rounded) const {
  const int64_t most = settings_.max_split_size;
  if (rounded < most) return block < most;
  return block < rounded + settings_.max_non_split_rounding;
}

// get_free_block
TorchAllocator::Index TorchAllocator::GetFreeBlock(Pool* pool,
                                                   int64_t rounded) {
  if (collects_ && !pool->small && !pool->is_private) ++searches_;
  auto found = pool->free.lower_bound({rounded, 0, 0});
  if (found == pool->free.end()) return kNone;
  if (blocks_[found->block].growing != kNone) {
    found = PreferLessRoom(pool, found);
    if (found == pool->free.end()) return kNone;
  }
  if (!AllowedWhole(found->bytes, rounded)) return kNone;
  const Index block = found->block;
  EraseFree(block);
  return block;
}

// alloc_block
TorchAllocator::Index TorchAllocator::AllocBlock(Pool* pool, int64_t rounded) {
  const int64_t bytes = SegmentSize(rounded);
  if (totals_.reserved > allowed_ - bytes) return kNone;
  if (settings_.expandable_segments) return AllocateExpandable(pool, rounded);
  const auto address = driver_->Allocate(bytes);
  if (!address) return kNone;
  totals_.Reserve(bytes, 1);
  return NewBlock(pool, *address, bytes);
}

TorchAllocator::Index TorchAllocator::GetNewBlock(Pool* pool, int64_t rounded) {
  if (collects_) CollectGarbage();
  Index found = AllocBlock(pool, rounded);
  if (found == kNone && ReleaseOversize(pool, rounded)) {
    found = AllocBlock(pool, rounded);
  }
  if (found == kNone && ReleaseCachedBlocks()) {
    found = AllocBlock(pool, rounded);
  }
  return found;
}

void TorchAllocator::Link(Index before, Index block) {
  const Index after = blocks_[before].next;
  blocks_[before].next = block;
  blocks_[block].prev = before;
  blocks_[block].next = after;
  if (after != kNone) blocks_[after].prev = block;
}

// Cuts the block after `bytes`; the rest is free.
void TorchAllocator::Split(Index index, int64_t bytes) {
  const Index rest =
      NewBlock(blocks_[index].pool,
               blocks_[index].address + static_cast<uint64_t>(bytes),
               blocks_[index].bytes - bytes);
  blocks_[rest].growing = blocks_[index].growing;
  blocks_[rest].mapped = blocks_[index].mapped;
  blocks_[index].bytes = bytes;
  Link(index, rest);
  if (blocks_[rest].mapped) {
    InsertFree(rest);
  } else {
    blocks_[rest].pool->unmapped[blocks_[rest].address] = rest;
  }
}

void TorchAllocator::HandOut(Index found, uint32_t number, int64_t rounded) {
  if (ShouldSplit(blocks_[found], rounded)) Split(found, rounded);
  Block& block = blocks_[found];
  block.allocated = true;
  if (block.growing != kNone) block.pool->room.Take(block.address, block.bytes);
  if (handed_out_.size() <= number) handed_out_.resize(number + 1, kNone);
  handed_out_[number] = found;
  totals_.Allocate(block.bytes);
}

// malloc
bool TorchAllocator::Allocate(uint32_t block, int64_t bytes, uint16_t queue) {
  if (bytes > kMaxRequest) return false;
  const int64_t rounded = settings_.RoundSize(bytes);
  Pool* pool = PoolOf(queue, rounded <= kSmallSize);
  Index found = GetFreeBlock(pool, rounded);
  if (found == kNone) found = GetNewBlock(pool, rounded);
  if (found == kNone) return false;
  HandOut(found, block, rounded);
  return true;
}

// try_merge_blocks
bool TorchAllocator::Merge(Index into, Index neighbour) {
  if (neighbour == kNone || blocks_[neighbour].allocated ||
      blocks_[into].mapped != blocks_[neighbour].mapped) {
    return false;
  }
  if (blocks_[neighbour].mapped) {
    EraseFree(neighbour);
  } else {
    blocks_[neighbour].pool->unmapped.erase(blocks_[neighbour].address);
  }
  Block& one = blocks_[into];
  const Block& gone = blocks_[neighbour];
  if (one.prev == neighbour) {
    one.address = gone.address;
    one.prev = gone.prev;
    if (one.prev != kNone) blocks_[one.prev].next = into;
  } else {
    one.next = gone.next;
    if (one.next != kNone) blocks_[one.next].prev = into;
  }
  one.bytes += gone.bytes;
  Drop(neighbour);
  return true;
}

// free and free_block
void TorchAllocator::Free(uint32_t number) {
  if (number >= handed_out_.size() || handed_out_[number] == kNone) return;
  const Index index = std::exchange(handed_out_[number], kNone);
  Block& block = blocks_[index];
  block.allocated = false;
  totals_.allocated -= block.bytes;
  if (block.growing != kNone) block.pool->room.Add(block.address, block.bytes);
  Merge(index, block.prev);
  Merge(index, block.next);
  InsertFree(index);
}

int64_t TorchAllocator::LargestFree() const {
  int64_t largest = 0;
  for (const auto& queue : queues_) {
    for (const Pool* pool : {&queue->small, &queue->large}) {
      if (pool->free.empty()) continue;
      largest = std::max(largest, pool->free.rbegin()->bytes);
    }
  }
  return largest;
}

// A growing segment counts as one segment per mapped range.
void TorchAllocator::VisitSegments(const SegmentVisitor& visit) const {
  std::set<Index> unused(unused_.begin(), unused_.end());
  for (Index i = 0; i < blocks_.size(); ++i) {
    const Block& head = blocks_[i];
    if (!head.mapped || unused.contains(i)) continue;
    if (head.prev != kNone && blocks_[head.prev].mapped) continue;
    int64_t bytes = 0;
    for (Index at = i; at != kNone && blocks_[at].mapped;
         at = blocks_[at].next) {
      bytes += blocks_[at].bytes;
    }
    visit(head.address, bytes);
  }
}

}  // namespace inquest::whatif
