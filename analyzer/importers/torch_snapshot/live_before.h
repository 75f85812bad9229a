// SPDX-License-Identifier: Apache-2.0
// What a device's pool held before the first entry of its history, which is a
// ring and begins anywhere: found by going backwards from the final state. A
// block was live before if the history frees it without having allocated it, or
// if it is live at the end and the history did not allocate it; the same holds
// for segments. For the former the file has size and address but no stack, for
// the latter everything. Exact as long as the history has no gaps, and it has
// none after its first entry. What was allocated and freed earlier is unknown.
// Memory is that of the live blocks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/importers/common/held_ranges.h"
#include "analyzer/importers/torch_snapshot/torch_snapshot.h"

namespace inquest::importers {

// AddressRange::tag of segments and of memory mapped into growing ones.
enum : uint32_t { kWholeSegment = 0, kMappedPart = 1 };

struct LiveBefore {
  std::vector<PoolBlock> blocks;
  std::vector<AddressRange> ranges;
  std::array<uint64_t, kPoolActions> entries = {};  // by PoolAction
  int64_t first_us = 0;  // of the history; 0 if it has no times
  int64_t last_us = 0;
  // Blocks that are live after the history but missing in the final state.
  uint64_t unmatched = 0;
};

LiveBefore FindLiveBefore(TorchSnapshot* snapshot, int64_t device);

// The number of devices in the snapshot, which are numbered from 0.
int64_t DevicesOf(const TorchSnapshot& snapshot);

}  // namespace inquest::importers
