// SPDX-License-Identifier: Apache-2.0
// The settings of PyTorch's caching allocator that decide where memory goes, as
// PYTORCH_CUDA_ALLOC_CONF (PYTORCH_ALLOC_CONF from 2.9 on) sets them. Read from
// the recorded environment (torch_recorded.h) and from `whatif --set`; used by
// the map of a pool at a refusal and by the models of what-if, so that both
// round in the same way. Sizes are bytes.
//
// Rules after c10/core/AllocatorConfig.{h,cpp} and
// c10/cuda/CUDAAllocatorConfig.cpp of PyTorch 1.10 to 2.10: words are separated
// by commas, name and value by a colon; max_split_size_mb counts MiB and is at
// least 20; garbage_collection_threshold is between 0 and 1 and does nothing
// without a memory fraction; roundup_power2_divisions is a power of two, or a
// list [SIZE_MB:DIVISIONS,…,>:DIVISIONS] of one for each power of two from 1
// MiB to 64 GiB, where the first value stands for all smaller sizes too and ">"
// for all remaining ones.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inquest::memory {

inline constexpr size_t kRoundupIntervals = 16;
inline constexpr int64_t kTorchMinBlock = 512;  // kMinBlockSize
inline constexpr int64_t kTorchSmallSize = 1
                                           << 20;  // of the small pool at most

struct TorchSettings {
  int64_t max_split_size = INT64_MAX;
  int64_t max_non_split_rounding = 20 << 20;
  int64_t large_segment_size = 20 << 20;
  double garbage_collection_threshold = 0;  // 0: off
  std::optional<double> memory_fraction;    // of the device
  std::array<int64_t, kRoundupIntervals> roundup_divisions = {};
  bool expandable_segments = false;
  bool async_backend = false;  // backend:cudaMallocAsync

  int64_t Divisions(int64_t bytes) const;
  // Rounds a request up like the allocator.
  int64_t RoundSize(int64_t bytes) const;
  // What the allocator has to ask the driver for if no free block serves a
  // request of `rounded` bytes: 2 MiB, 20 MiB for one of 1 to 10 MiB
  // (get_allocation_size); a growing segment takes whole pages.
  int64_t SegmentBytes(int64_t rounded) const;
  // Whether the `rest` after a block of `rounded` bytes is split off as a
  // separate free block, or else becomes part of it. `grows`: in a growing
  // segment.
  bool SplitsOff(int64_t rounded, int64_t rest, bool grows) const;
};

// Adds "name:value,…" to the settings; an error names the word that cannot be
// parsed. Words that do not affect device memory are ignored.
Status ParseTorchSettings(std::string_view text, TorchSettings* settings);

}  // namespace inquest::memory
