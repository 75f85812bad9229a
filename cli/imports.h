// SPDX-License-Identifier: Apache-2.0
// Converts other tools' files for the store: into a trace in a temporary file,
// which is unlinked as soon as the store has opened it, so that closing the
// store frees the disk. For Session.
#pragma once

#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/importers/import.h"
#include "base/status.h"
#include "cli/inputs.h"

namespace inquest::cli {

// With kIncomplete, the readable part is attached; with any other error
// nothing. Output of the programs, if the file has it, is added to `printed`.
Status AttachForeign(const ForeignInput& file, facts::Store* store,
                     std::vector<ingest::LogText>* printed);

}  // namespace inquest::cli
