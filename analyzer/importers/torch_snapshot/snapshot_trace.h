// Writes a memory snapshot as a trace, so that everything that reads traces
// works on it: segments as memory from the driver, blocks as a framework's,
// what was live before the history as the trace's checkpoint, refused requests
// with what the device had free, annotations as steps, the allocator's settings
// as environment, the state at the end as pool_segment and pool_block. A free
// is entered once, when it is complete: until then no one else gets the
// address. One thread; memory is that of the live blocks and of the stacks.
#pragma once

#include <string>

#include "analyzer/importers/pickle/pickle_objects.h"
#include "analyzer/importers/torch_snapshot/torch_snapshot.h"
#include "base/status.h"

namespace inquest::importers {

// `texts` are those that the snapshot's numbers mean. `fault` is what ended the
// reading early, "" where nothing did. `path` is made anew.
Status WriteSnapshotTrace(TorchSnapshot* snapshot, const PickleTexts& texts,
                          const std::string& fault, const std::string& path);

}  // namespace inquest::importers
