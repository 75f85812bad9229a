// SPDX-License-Identifier: Apache-2.0
// Makes the directory of a run and inspects one. A run never uses another's
// directory, even if two start at the same moment.
#pragma once

#include <string>

#include "base/status.h"

namespace inquest::record {

struct RunDirectory {
  std::string path;         // as the user may type it
  std::string absolute;     // passed to the command
  bool other_name = false;  // the wanted one already had a run
};

// `wanted` may be empty, then it is runs/<name>-<local date>-<time>. Made with
// mode 0700; parents according to the umask. Claims the directory by creating
// its run.json, empty, mode 0600.
Expected<RunDirectory> MakeRunDirectory(const std::string& wanted,
                                        const std::string& name);

// Whether a process left a trace or a journal in it.
bool HoldsTrace(const std::string& directory);

}  // namespace inquest::record
