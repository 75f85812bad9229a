// SPDX-License-Identifier: Apache-2.0
// How much memory a device had left when a request was refused, and in what
// pieces. cuMemGetInfo counts whole driver chunks as free, but not holes in
// chunks that still hold a live block, though a small request could use them.
// Holes in the address space without memory are recognized by comparing what
// was free when the process began with what is live now. Bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/store/heap.h"

namespace inquest::memory {

using trace::Gaps;
using trace::kDriverChunk;

struct FreeSpace {
  int64_t unused = 0;   // in whole chunks and in holes together
  int64_t largest = 0;  // upper bound of one piece of it
};

// `free_bytes` and `free_at_start` are the driver's figures at the refusal and
// when the process began, if known; `live_bytes` are those of the process.
FreeSpace MeasureFree(const Gaps& gaps, int64_t live_bytes,
                      std::optional<int64_t> free_bytes,
                      std::optional<int64_t> free_at_start);

// The same for a pool that refused: what is free in its segments, and what the
// driver would still have given it. It asks for whole segments: where the
// request would fit into what the driver has and the segment for it does not,
// the driver gives nothing.
struct PoolRequest {
  int64_t bytes = 0;
  int64_t segment_bytes = 0;
};
FreeSpace MeasurePoolFree(const trace::Gaps& gaps,
                          std::optional<int64_t> free_bytes,
                          const PoolRequest& request);

}  // namespace inquest::memory
