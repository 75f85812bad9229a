// Where the blocks of a framework's pool lie in the memory that it holds from
// the driver: live blocks and the free pieces between them, segment by segment.
// For the replay, at a request that the pool refused. Computed from the
// requested sizes, as PyTorch's caching allocator rounds them: up to 512 bytes,
// and beyond the small pool's 1 MiB a rest of up to 1 MiB is not split off
// where segments do not grow (c10/cuda/CUDACachingAllocator.cpp: round_size,
// should_split; kMinBlockSize and kSmallSize). So the map is exact for its
// default settings. Sizes are bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/heap.h"
#include "trace/ledger.h"

namespace inquest::memory {

struct PoolSpan {
  uint64_t address = 0;
  int64_t bytes = 0;
  bool live = false;
  trace::Block block;  // where live
};

// In the order of addresses; segments that touch are one where they grow.
std::vector<PoolSpan> MapPool(const trace::DeviceState& state);

// The free pieces. What the driver could take back is in `whole_chunks` of no
// use to a pool, and stays 0.
trace::Gaps GapsOf(const std::vector<PoolSpan>& map);

}  // namespace inquest::memory
