// Files of other tools on their way into the store: made a trace of in a
// temporary file, which is gone from the folder as soon as the store has opened
// it and from the disk when the store is closed. For Session.
#pragma once

#include "analyzer/facts/store.h"
#include "cli/inputs.h"
#include "trace/status.h"

namespace inquest::cli {

// Makes the trace at `trace_path`, which must not exist yet; see Importer.
Status ImportForeign(const ForeignFile& file, const std::string& trace_path);

// Of kIncomplete: what could be read is attached. Of any other error: nothing.
Status AttachForeign(const ForeignFile& file, facts::Store* store);

}  // namespace inquest::cli
