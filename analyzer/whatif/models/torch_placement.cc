// SPDX-License-Identifier: Apache-2.0
// Segments and blocks from before the history.
#include "analyzer/whatif/models/torch_allocator.h"

namespace inquest::whatif {

// The unmapped block of a growing segment that contains this range; created
// around it if there is none.
TorchAllocator::Index TorchAllocator::GrowingAt(Pool* pool,
                                                const PlacedSegment& segment) {
  const auto behind = pool->unmapped.upper_bound(segment.address);
  if (behind != pool->unmapped.begin()) {
    const Index block = std::prev(behind)->second;
    const auto offset =
        static_cast<int64_t>(segment.address - blocks_[block].address);
    const bool inside = offset + segment.bytes <= blocks_[block].bytes;
    if (inside && offset % PageOf(*pool) == 0) return block;
  }
  const Index block =
      NewBlock(pool, segment.address,
               RoundUp(std::max(address_space_, segment.bytes), PageOf(*pool)));
  blocks_[block].mapped = false;
  blocks_[block].growing = static_cast<Index>(growing_.size());
  growing_.push_back({segment.address, blocks_[block].bytes});
  pool->unmapped[segment.address] = block;
  pool->room.Add(segment.address, blocks_[block].bytes);
  return block;
}

bool TorchAllocator::Place(const PlacedSegment& segment,
                           std::span<const PlacedBlock> blocks) {
  Pool* pool = PoolOf(segment.queue, segment.small);
  Index rest = kNone;
  if (segment.grows) {
    rest = GrowingAt(pool, segment);
    const auto skip =
        static_cast<int64_t>(segment.address - blocks_[rest].address);
    if (skip > 0) {
      Split(rest, skip);
      rest = blocks_[rest].next;
    }
    if (!MapBlock(rest, segment.bytes)) return false;
    EraseFree(rest);
  } else {
    if (!driver_->Place(segment.address, segment.bytes)) return false;
    totals_.Reserve(segment.bytes, 1);
    rest = NewBlock(pool, segment.address, segment.bytes);
  }
  for (const PlacedBlock& one : blocks) {
    const auto gap = static_cast<int64_t>(one.address - blocks_[rest].address);
    if (gap > 0) {
      Split(rest, gap);
      InsertFree(std::exchange(rest, blocks_[rest].next));
      EraseFree(rest);
    }
    const Index here = rest;
    const bool last = blocks_[here].bytes <= one.bytes;
    if (!last) {
      Split(here, one.bytes);
      rest = blocks_[here].next;
      EraseFree(rest);
    }
    Block& block = blocks_[here];
    block.allocated = true;
    if (block.growing != kNone) pool->room.Take(block.address, block.bytes);
    if (handed_out_.size() <= one.block) {
      handed_out_.resize(one.block + 1, kNone);
    }
    handed_out_[one.block] = here;
    totals_.Allocate(block.bytes);
    if (last) return true;
  }
  InsertFree(rest);
  return true;
}

}  // namespace inquest::whatif
