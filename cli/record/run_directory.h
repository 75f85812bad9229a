// SPDX-License-Identifier: Apache-2.0
// Makes the directory of a run and says what is in one. A run never lands in
// another's directory, not even when two start at the same moment.
#pragma once

#include <string>

#include "base/status.h"

namespace inquest::record {

struct RunDirectory {
  std::string path;         // as the user may type it
  std::string absolute;     // as the command is told
  bool other_name = false;  // the wanted one held a run already
};

// `wanted` may be empty, then it is runs/<name>-<local date>-<time>. Made with
// mode 0700; parents as the umask has it. Claims the directory by creating its
// run.json, empty, mode 0600.
Expected<RunDirectory> MakeRunDirectory(const std::string& wanted,
                                        const std::string& name);

// Whether a process left a trace or a journal in it.
bool HoldsTrace(const std::string& directory);

}  // namespace inquest::record
