// What other tools recorded, made traces of: each kind of file is known by its
// content and becomes a file as a collector would have written it
// (trace/schema.sql), so that facts, replay, rules and reports work on it
// unchanged. Called by the command line; nothing else knows of importers. One
// thread.
#pragma once

#include <string>

#include "trace/status.h"

namespace inquest::importers {

// Whether it is a pickle of a memory snapshot of PyTorch, plain or packed, as
// far as its first bytes tell. A path that cannot be read is none.
bool LooksLikeTorchSnapshot(const std::string& path);

// Writes the snapshot at `path` as a trace at `trace_path`, which must not
// exist yet. A file that ends early or that a limit cuts short gives what could
// be read and a status of kIncomplete, which names the place; with any other
// error there is no trace.
Status ImportTorchSnapshot(const std::string& path,
                           const std::string& trace_path);

}  // namespace inquest::importers
