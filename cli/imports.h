// Files of other tools on their way into the store: made a trace of in a
// temporary file, which is gone from the folder as soon as the store has opened
// it and from the disk when the store is closed. For Session.
#pragma once

#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/importers/import.h"
#include "base/status.h"
#include "cli/inputs.h"

namespace inquest::cli {

// Of kIncomplete: what could be read is attached. Of any other error: nothing.
// What the programs printed, if the file has it, is added to `printed`.
Status AttachForeign(const ForeignInput& file, facts::Store* store,
                     std::vector<importers::ImportedLog>* printed);

}  // namespace inquest::cli
