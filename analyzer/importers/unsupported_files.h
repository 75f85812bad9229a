// SPDX-License-Identifier: Apache-2.0
// Files that are found beside logs and traces and are given by mistake, or in a
// form that only their own tool reads: Nsight reports, core dumps, checkpoints.
// Without this check they would be read as logs without any match. Recognized
// by magic bytes, otherwise by file name unless they are text. Used by the
// command line for files that no importer knows.
#pragma once

#include <optional>
#include <string>

#include "analyzer/importers/import.h"

namespace inquest::importers {

struct UnsupportedFile {
  std::string what;  // "a report of Nsight Systems"
  std::string help;  // what to do instead
};

std::optional<UnsupportedFile> Recognize(const FileStart& start);
// Ok unless the file is one of them; the error says what it is and what to do.
Status RejectUnsupported(const std::string& path);

}  // namespace inquest::importers
