// SPDX-License-Identifier: Apache-2.0
// Growing segments (expandable_segments).
#include <algorithm>

#include "analyzer/whatif/models/torch_allocator.h"

namespace inquest::whatif {
namespace {

constexpr int64_t kSmallPages = 2 << 20;

}  // namespace

int64_t TorchAllocator::PageOf(const Pool& pool) const {
  return pool.small ? kSmallPages
                    : RoundUp(settings_.large_segment_size, kPage);
}

// The block's size with what could be mapped after it.
int64_t TorchAllocator::ExpandableSize(Index block) const {
  const Index next = blocks_[block].next;
  const bool grows = next != kNone && !blocks_[next].mapped;
  return blocks_[block].bytes + (grows ? blocks_[next].bytes : 0);
}

// Part of get_free_block: the best fit is the block that could grow least; if
// segments no longer grow, one that is not in a growing segment.
TorchAllocator::FreeIterator TorchAllocator::PreferLessRoom(
    Pool* pool, FreeIterator found) const {
  const auto end = pool->free.end();
  const auto grows = [&](FreeIterator one) {
    return blocks_[one->block].growing != kNone;
  };
  if (!settings_.expandable_segments) {
    while (found != end && grows(found)) ++found;
    return found;
  }
  for (auto next = std::next(found);
       grows(found) && next != end &&
       ExpandableSize(next->block) < ExpandableSize(found->block);
       ++next) {
    found = next;
  }
  return found;
}

bool TorchAllocator::HasWholePage(Index index) const {
  const Block& block = blocks_[index];
  if (block.growing == kNone) return false;
  const int64_t page = PageOf(*block.pool);
  const auto from =
      static_cast<int64_t>(block.address - growing_[block.growing].base);
  return RoundUp(from, page) + page <= from + block.bytes;
}

TorchAllocator::Index TorchAllocator::NewGrowing(Pool* pool) {
  const int64_t page = PageOf(*pool);
  const int64_t bytes = RoundUp(address_space_, page);
  const Index block = NewBlock(pool, next_growing_, bytes);
  blocks_[block].mapped = false;
  blocks_[block].growing = static_cast<Index>(growing_.size());
  growing_.push_back({next_growing_, bytes});
  pool->unmapped[next_growing_] = block;
  pool->room.Add(next_growing_, bytes);
  // A page between two segments, so that they never touch.
  next_growing_ += static_cast<uint64_t>(bytes + page);
  return block;
}

// find_expandable_block. Free and unmapped blocks alternate in a range of room,
// so it begins with its first unmapped block or the free one before that.
TorchAllocator::Index TorchAllocator::FindExpandable(Pool* pool,
                                                     int64_t bytes) {
  uint64_t from = 0;
  while (const auto room = pool->room.FirstFit(bytes, from)) {
    const auto unmapped = pool->unmapped.lower_bound(room->address);
    const uint64_t end = room->address + static_cast<uint64_t>(room->bytes);
    if (unmapped != pool->unmapped.end() && unmapped->first < end) {
      const Index first = unmapped->second;
      const bool begins = blocks_[first].address == room->address;
      return begins ? first : blocks_[first].prev;
    }
    from = room->address + 1;  // nothing to map in this range
  }
  return NewGrowing(pool);
}

// map_block
bool TorchAllocator::MapBlock(Index index, int64_t bytes) {
  Pool* pool = blocks_[index].pool;
  const int64_t mapped = RoundUp(bytes, PageOf(*pool));
  if (!driver_->TakePages(mapped / kPage)) return false;
  pool->unmapped.erase(blocks_[index].address);
  if (mapped < blocks_[index].bytes) Split(index, mapped);
  blocks_[index].mapped = true;
  const bool more =
      !(blocks_[index].prev != kNone && blocks_[blocks_[index].prev].mapped);
  const Index next = blocks_[index].next;
  const bool joins = next != kNone && blocks_[next].mapped;
  totals_.Reserve(mapped, (more ? 1 : 0) - (joins ? 1 : 0));
  Merge(index, blocks_[index].prev);
  Merge(index, blocks_[index].next);
  InsertFree(index);
  return true;
}

// try_allocate_expandable_block
TorchAllocator::Index TorchAllocator::AllocateExpandable(Pool* pool,
                                                         int64_t bytes) {
  Index found = FindExpandable(pool, bytes);
  if (!blocks_[found].mapped &&
      !MapBlock(found, std::min(blocks_[found].bytes, bytes))) {
    return kNone;
  }
  while (blocks_[found].bytes < bytes) {
    const Index next = blocks_[found].next;
    const int64_t missing = bytes - blocks_[found].bytes;
    if (next == kNone || blocks_[next].mapped ||
        !MapBlock(next, std::min(missing, blocks_[next].bytes))) {
      return kNone;
    }
    found = next;
  }
  EraseFree(found);
  return found;
}

// unmap_block: whole pages of a free block go back to the driver.
void TorchAllocator::UnmapBlock(Index index) {
  Pool* pool = blocks_[index].pool;
  const int64_t page = PageOf(*pool);
  const Growing& segment = growing_[blocks_[index].growing];
  const auto from = static_cast<int64_t>(blocks_[index].address - segment.base);
  const int64_t begin = RoundUp(from, page);
  const int64_t end = (from + blocks_[index].bytes) / page * page;
  if (begin >= end) return;
  EraseFree(index);
  Index middle = index;
  if (begin > from) {
    // The first part stays free under its old number.
    Split(index, begin - from);
    middle = blocks_[index].next;
    EraseFree(middle);
    InsertFree(index);
  }
  if (from + blocks_[middle].bytes + (begin - from) > end) {
    Split(middle, end - begin);
  }
  const Index prev = blocks_[middle].prev;
  const Index next = blocks_[middle].next;
  const bool before = prev != kNone && blocks_[prev].mapped;
  const bool behind = next != kNone && blocks_[next].mapped;
  blocks_[middle].mapped = false;
  totals_.Reserve(begin - end, (before ? 1 : 0) + (behind ? 1 : 0) - 1);
  Merge(middle, blocks_[middle].prev);
  Merge(middle, blocks_[middle].next);
  pool->unmapped[blocks_[middle].address] = middle;
  driver_->GivePages((end - begin) / kPage);
  if (!Unsplit(middle)) return;
  // The segment is empty: its addresses are removed, too.
  pool->unmapped.erase(blocks_[middle].address);
  pool->room.Take(blocks_[middle].address, blocks_[middle].bytes);
  Drop(middle);
}

}  // namespace inquest::whatif
