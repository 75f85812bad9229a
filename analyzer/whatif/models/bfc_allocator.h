// SPDX-License-Identifier: Apache-2.0
// TensorFlow's and XLA's "best fit with coalescing" allocator, as a model.
//
// Rules after xla/tsl/framework/bfc_allocator.{h,cc} (before 2022
// tensorflow/core/common_runtime/bfc_allocator.cc):
// - requests are rounded up to 256 bytes; the smallest free chunk that is large
//   enough is used, the lowest among equals (its 21 bins, by powers of two from
//   256 bytes, only make that search fast: a bin's chunks are all smaller than
//   the next bin's);
// - a chunk is split if it is twice the request or larger, or if the rest is
//   128 MiB or more (or a given fraction of the limit);
// - with allow_growth the first region has 2 MiB and each next one twice the
// last; one that is too small for a request is doubled until it is large
// enough.
//   Otherwise there is only the first region. A region never exceeds what the
//   limit leaves; if the driver refuses one, nine tenths of it are tried,
//   repeatedly, down to the request;
// - freed chunks are merged with free neighbours of the same region;
// - with garbage_collection (TF_ENABLE_GPU_GARBAGE_COLLECTION, on by default in
//   TensorFlow), wholly free regions are released before a request fails, if
//   that could help.
//
// Not modelled: waiting for other threads' frees, timestamped chunks, regions
// that are joined (GPU virtual memory), spatial partitioning. An event costs
// O(log chunks). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "analyzer/whatif/models/allocator.h"
#include "analyzer/whatif/models/driver.h"

namespace inquest::whatif {

struct BfcSettings {
  int64_t limit = kBoundless;
  bool allow_growth = false;
  bool garbage_collection = true;
  double fragmentation_fraction = 0;  // 0: the rule of 128 MiB
};

// How much TensorFlow takes of the memory that is free when it starts, without
// per_process_gpu_memory_fraction (gpu_device.cc, MinSystemMemory).
int64_t TensorFlowLimit(int64_t free_bytes, int compute_capability_major);

class BfcAllocator : public Allocator {
 public:
  BfcAllocator(Driver* driver, const BfcSettings& settings);

  bool Allocate(uint32_t block, int64_t bytes, uint16_t queue) override;
  void Free(uint32_t block) override;
  int64_t LargestFree() const override;
  void VisitSegments(const SegmentVisitor& visit) const override;

 private:
  using Index = uint32_t;
  static constexpr Index kNone = UINT32_MAX;
  struct Region {
    uint64_t address = 0;
    int64_t bytes = 0;
    int64_t in_use = 0;  // chunks
  };
  struct Chunk {
    uint64_t address = 0;
    int64_t bytes = 0;
    Index prev = kNone;
    Index next = kNone;
    uint64_t region = 0;
    bool in_use = false;
  };
  struct BySize {
    int64_t bytes;
    uint64_t address;
    Index chunk;
    bool operator<(const BySize& other) const {
      return bytes != other.bytes ? bytes < other.bytes
                                  : address < other.address;
    }
  };

  Index NewChunk(uint64_t address, int64_t bytes, uint64_t region);
  void InsertFree(Index chunk);
  void EraseFree(Index chunk);
  Index FindChunk(int64_t rounded);
  bool ShouldSplit(int64_t chunk, int64_t rounded) const;
  void Split(Index chunk, int64_t bytes);
  Index MergeNext(Index chunk);
  bool Extend(int64_t rounded);
  void AddRegion(uint64_t address, int64_t bytes);
  bool ReleaseFreeRegions(int64_t rounded);

  Driver* driver_;
  BfcSettings settings_;
  int64_t next_region_;
  int64_t most_waste_;
  std::vector<Chunk> chunks_;
  std::vector<Index> unused_;
  std::vector<Index> handed_out_;  // by the caller's number
  std::set<BySize> free_;
  std::map<uint64_t, Region> regions_;
  std::set<uint64_t> free_regions_;
  int64_t free_region_bytes_ = 0;
};

}  // namespace inquest::whatif
