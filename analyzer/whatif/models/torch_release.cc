// SPDX-License-Identifier: Apache-2.0
// How the allocator releases memory to the driver.
#include <vector>

#include "analyzer/whatif/models/torch_allocator.h"

namespace inquest::whatif {

// release_block: an unsplit free block is a segment.
void TorchAllocator::ReleaseBlock(Index index) {
  EraseFree(index);
  driver_->Free(blocks_[index].address);
  totals_.Reserve(-blocks_[index].bytes, -1);
  Drop(index);
}

// garbage_collect_cached_blocks: releases blocks of at least average age until
// enough is released or none is left. Ages count searches of the pool, so the
// oldest come first.
void TorchAllocator::CollectGarbage() {
  const double threshold = settings_.garbage_collection_threshold;
  const auto limit =
      static_cast<int64_t>(threshold * static_cast<double>(allowed_));
  const int64_t aim = totals_.reserved - limit;
  int64_t reclaimed = 0;
  bool freed = aim > 0;
  while (freed && reclaimed < aim && !ages_.empty()) {
    const auto count = static_cast<double>(ages_.size());
    const double average =
        static_cast<double>(searches_) - static_cast<double>(ages_sum_) / count;
    freed = false;
    while (!ages_.empty() &&
           static_cast<double>(searches_ - ages_.begin()->first) >= average) {
      const Index oldest = ages_.begin()->second;
      reclaimed += blocks_[oldest].bytes;
      ReleaseBlock(oldest);
      freed = true;
    }
  }
}

// release_available_cached_blocks: the smallest oversize block that is large
// enough, or the largest ones together.
bool TorchAllocator::ReleaseOversize(Pool* pool, int64_t rounded) {
  const int64_t most = settings_.max_split_size;
  if (most == INT64_MAX) return false;
  const int64_t wanted = std::max(rounded, most);
  const auto enough = pool->free.lower_bound({wanted, 0, 0});
  if (enough != pool->free.end()) {
    if (blocks_[enough->block].growing != kNone) return false;
    ReleaseBlock(enough->block);
    return true;
  }
  int64_t released = 0;
  while (released < wanted && !pool->free.empty()) {
    const auto largest = std::prev(pool->free.end());
    if (largest->bytes < most) break;
    if (blocks_[largest->block].growing != kNone) break;
    released += largest->bytes;
    ReleaseBlock(largest->block);
  }
  return released >= wanted;
}

void TorchAllocator::ReleasePool(Pool* pool) {
  const std::vector<Index> unused(pool->releasable.begin(),
                                  pool->releasable.end());
  for (const Index block : unused) {
    if (blocks_[block].growing == kNone) {
      ReleaseBlock(block);
    } else {
      UnmapBlock(block);
    }
  }
}

// release_cached_blocks
bool TorchAllocator::ReleaseCachedBlocks() {
  ++totals_.released;
  for (const auto& queue : queues_) {
    for (Pool* pool : {&queue->large, &queue->small}) {
      if (!pool->is_private) ReleasePool(pool);
    }
  }
  return true;
}

}  // namespace inquest::whatif
