// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a framework's pool are in the memory that it holds from
// the driver: live blocks and the free pieces between them, segment by segment.
// For the replay, when the pool refuses a request. Computed from the requested
// sizes, rounded and split as PyTorch's caching allocator does under the
// settings of the run (torch_settings.h). Sizes are bytes.
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
  trace::Block block;  // if live
};

// In the order of addresses; adjacent growing segments are joined.
std::vector<PoolSpan> MapPool(const trace::DeviceState& state,
                              const TorchSettings& settings);

// The free pieces. `whole_chunks` stays 0: it applies only to the driver's
// heaps.
trace::Gaps GapsOf(const std::vector<PoolSpan>& map);

}  // namespace inquest::memory
