// SPDX-License-Identifier: Apache-2.0
// Writes a memory snapshot as a trace: segments as memory from the driver,
// blocks as a framework's, what was live before the history as the trace's
// checkpoint, refused requests with the device's free memory, annotations as
// steps, the allocator's settings as environment, and the final state as
// pool_segment and pool_block. A free is written once, when it is complete:
// until then the address is not reused. One thread; memory is that of the live
// blocks and of the stacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/importers/pickle/pickle_objects.h"
#include "analyzer/importers/torch_snapshot/torch_snapshot.h"
#include "base/status.h"

namespace inquest::importers {

struct SnapshotFile {
  std::optional<int64_t> rank;  // that its name tells; the file has none
  std::string fault;            // why reading ended early, or ""
};

// The snapshot's indexes refer to `texts`. `path` is created.
Status WriteSnapshotTrace(TorchSnapshot* snapshot, const PickleTexts& texts,
                          const SnapshotFile& from, const std::string& path);

}  // namespace inquest::importers
