// SPDX-License-Identifier: Apache-2.0
// Finds which of the blocks that a process holds from the driver are segments
// of PyTorch's caching allocator. The collector sees both, but not which belong
// together. A block counts as a segment if it contains one of the allocator's
// blocks, or else if it has a segment's size (2 MiB, or 10 MiB and more in
// whole 2 MiB). The result is used only if these blocks add up to the
// allocator's reported sum at every moment for which there is one. For
// read_blocks.cc. Growing segments are mapped and not among them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/database.h"
#include "base/status.h"

namespace inquest::whatif {

struct DriverSegment {
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t from = INT64_MIN;  // nanoseconds; before the record
  int64_t to = INT64_MAX;
};

struct SegmentUse {
  int64_t time = 0;
  uint64_t address = 0;   // of a block
  int64_t reserved = -1;  // what the allocator held then; -1 unknown
};

// `uses` in the order of time. Empty if they do not add up.
Expected<std::vector<DriverSegment>> ReadDriverSegments(
    Database* db, const std::string& prefix, bool checkpoint, int device,
    const std::vector<SegmentUse>& uses);

}  // namespace inquest::whatif
