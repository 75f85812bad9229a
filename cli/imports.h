// SPDX-License-Identifier: Apache-2.0
// Converts other tools' files for the store: into a trace in a temporary file,
// which is unlinked as soon as the store has opened it and leaves the disk when
// the store is closed. For Session.
#pragma once

#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/importers/import.h"
#include "base/status.h"
#include "cli/inputs.h"

namespace inquest::cli {

// With kIncomplete, what could be read is attached; with any other error
// nothing is. Output of the programs, if the file has it, is added to
// `printed`.
Status AttachForeign(const ForeignInput& file, facts::Store* store,
                     std::vector<importers::ImportedLog>* printed);

}  // namespace inquest::cli
