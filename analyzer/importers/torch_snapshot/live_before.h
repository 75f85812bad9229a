// What a device's pool held before the first entry of its history, which begins
// wherever the ring of entries had room: worked out by playing the state at the
// end backwards. A block was live before if the history frees it without having
// made it, or if it is live at the end and the history did not make it;
// likewise segments. Of the first kind the file tells size and place, but not
// who asked for it; of the second everything. Exact as long as the history is
// whole, which it is from its first entry on; what came and went before cannot
// be known. Memory is that of the live blocks.
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
  int64_t first_us = 0;  // of the history; 0 where it tells no times
  int64_t last_us = 0;
  // Blocks that the history leaves live and that the state at the end lacks.
  uint64_t astray = 0;
};

LiveBefore FindLiveBefore(TorchSnapshot* snapshot, int64_t device);

// Devices are numbered from 0; how many the snapshot speaks of.
int64_t DevicesOf(const TorchSnapshot& snapshot);

}  // namespace inquest::importers
