// Where the blocks of a framework's pool lie in the memory that it holds from
// the driver: live blocks and the free pieces between them, segment by segment.
// For the replay, at a request that the pool refused. Computed from the
// requested sizes, as PyTorch's caching allocator rounds and splits them under
// the settings of the run (torch_settings.h). Sizes are bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/pool/torch_settings.h"
#include "trace/store/heap.h"
#include "trace/store/ledger.h"

namespace inquest::memory {

struct PoolSpan {
  uint64_t address = 0;
  int64_t bytes = 0;
  bool live = false;
  trace::Block block;  // where live
};

// In the order of addresses; segments that touch are one where they grow.
std::vector<PoolSpan> MapPool(const trace::DeviceState& state,
                              const TorchSettings& settings);

// The free pieces. What the driver could take back is in `whole_chunks` of no
// use to a pool, and stays 0.
trace::Gaps GapsOf(const std::vector<PoolSpan>& map);

}  // namespace inquest::memory
