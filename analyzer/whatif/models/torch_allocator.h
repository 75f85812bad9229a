// SPDX-License-Identifier: Apache-2.0
// PyTorch's caching allocator, as a model.
//
// Rules after c10/cuda/CUDACachingAllocator.cpp of PyTorch 1.10 to 2.10
// (DeviceCachingAllocator; the function names in the .cc files are its own):
// - a request is rounded up (torch_settings.h); up to 1 MiB it belongs to the
//   small pool, else to the large one; each stream has separate pools;
// - the smallest free block that is large enough is used, the lowest among
//   equals, unless max_split_size forbids it;
// - its rest is split off if it has 512 bytes or more in the small pool and in
// growing segments, more than 1 MiB in the large pool, and never for
//   requests of max_split_size and more;
// - a new segment is 2 MiB for small requests, large_segment_size (20 MiB) for
//   those below 10 MiB, else the request in whole 2 MiB;
// - with expandable_segments a segment is a range of addresses of 9/8 of the
//   device, mapped in pages of 2 MiB (small) or 20 MiB (large); the lowest
//   large enough range of free and unmapped addresses is mapped;
// - before a new segment, if a memory fraction is set, unused segments older
//   than the average are released above garbage_collection_threshold; if there
//   is no room, oversize ones (max_split_size), then all unused ones are
//   released, and the request is tried again;
// - a freed block is merged with its free neighbours.
//
// Memory of private pools (CUDA graphs) is never released, as if a graph still
// used it. Free-memory callbacks are not modelled. A block that was used on
// other streams becomes free when its free completed in the record.
//
// An event costs O(log blocks), a release O(log blocks) per segment. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/memory/pool/torch_settings.h"
#include "analyzer/whatif/models/allocator.h"
#include "analyzer/whatif/models/driver.h"

namespace inquest::whatif {

using memory::ParseTorchSettings;
using memory::TorchSettings;

// What the allocator held when the history began, for models with the recorded
// settings: segments and the blocks in them, by address.
struct PlacedSegment {
  uint64_t address = 0;
  int64_t bytes = 0;
  uint16_t queue = 0;
  bool small = false;
  bool grows = false;
};
struct PlacedBlock {
  uint32_t block = 0;
  uint64_t address = 0;
  int64_t bytes = 0;  // as rounded up
};

class TorchAllocator : public Allocator {
 public:
  // `device_bytes` is the whole device, to which a memory fraction applies.
  TorchAllocator(Driver* driver, const TorchSettings& settings,
                 int64_t device_bytes);

  // Requests of this queue go to a private pool.
  void MarkPrivate(uint16_t queue);
  // False if the driver has no room for the segment.
  bool Place(const PlacedSegment& segment, std::span<const PlacedBlock> blocks);

  bool Allocate(uint32_t block, int64_t bytes, uint16_t queue) override;
  void Free(uint32_t block) override;
  void EmptyCache() override { ReleaseCachedBlocks(); }
  int64_t LargestFree() const override;
  void VisitSegments(const SegmentVisitor& visit) const override;

 private:
  using Index = uint32_t;
  static constexpr Index kNone = UINT32_MAX;

  struct Pool;
  struct Growing {  // a growing segment
    uint64_t base = 0;
    int64_t bytes = 0;
  };
  struct Block {
    uint64_t address = 0;
    int64_t bytes = 0;
    Index prev = kNone;  // in its segment
    Index next = kNone;
    Pool* pool = nullptr;
    Index growing = kNone;
    bool allocated = false;
    bool mapped = true;
    uint64_t born =
        0;  // number of searches in the large pool when it became free
  };
  struct BySize {
    int64_t bytes;
    uint64_t address;
    Index block;
    bool operator<(const BySize& other) const {
      return bytes != other.bytes ? bytes < other.bytes
                                  : address < other.address;
    }
  };
  struct Pool {
    bool small = false;
    bool is_private = false;
    std::set<BySize> free;
    std::set<Index> releasable;  // free, and could be released to the driver
    std::map<uint64_t, Index> unmapped;
    FreeRanges room;  // free and unmapped addresses of growing segments
  };
  struct Queue {
    Pool small;
    Pool large;
  };
  using FreeIterator = std::set<BySize>::iterator;

  // torch_allocator.cc
  Pool* PoolOf(uint16_t queue, bool small);
  Index NewBlock(Pool* pool, uint64_t address, int64_t bytes);
  void Drop(Index block);
  bool Unsplit(Index block) const;
  void InsertFree(Index block);
  void EraseFree(Index block);
  int64_t SegmentSize(int64_t rounded) const;
  bool ShouldSplit(const Block& block, int64_t rounded) const;
  bool AllowedWhole(int64_t block, int64_t rounded) const;
  Index GetFreeBlock(Pool* pool, int64_t rounded);
  Index AllocBlock(Pool* pool, int64_t rounded);
  Index GetNewBlock(Pool* pool, int64_t rounded);
  void Split(Index block, int64_t bytes);
  bool Merge(Index into, Index neighbour);
  void Link(Index before, Index block);
  void HandOut(Index found, uint32_t block, int64_t rounded);

  // torch_expandable.cc
  int64_t PageOf(const Pool& pool) const;
  int64_t ExpandableSize(Index block) const;
  FreeIterator PreferLessRoom(Pool* pool, FreeIterator found) const;
  bool HasWholePage(Index block) const;
  Index NewGrowing(Pool* pool);
  Index FindExpandable(Pool* pool, int64_t bytes);
  bool MapBlock(Index block, int64_t bytes);
  Index AllocateExpandable(Pool* pool, int64_t bytes);
  void UnmapBlock(Index block);

  // torch_release.cc
  void CollectGarbage();
  bool ReleaseOversize(Pool* pool, int64_t rounded);
  bool ReleaseCachedBlocks();
  void ReleaseBlock(Index block);
  void ReleasePool(Pool* pool);

  // torch_placement.cc
  Index GrowingAt(Pool* pool, const PlacedSegment& segment);

  Driver* driver_;
  TorchSettings settings_;
  int64_t allowed_;  // the memory fraction
  bool collects_;    // garbage
  int64_t address_space_;
  uint64_t next_growing_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<Block> blocks_;
  std::vector<Index> unused_;
  std::vector<Index> handed_out_;  // by the caller's number
  std::vector<Growing> growing_;
  // Unsplit free blocks of the large pools by when they became free, and the
  // sum of these; only if garbage is collected.
  std::set<std::pair<uint64_t, Index>> ages_;
  uint64_t ages_sum_ = 0;
  uint64_t searches_ = 0;  // in the large pools
};

}  // namespace inquest::whatif
