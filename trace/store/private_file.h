// SPDX-License-Identifier: Apache-2.0
// Files that only their owner may read: traces contain command lines, and
// SQLite would create a file that everyone can read.
#pragma once

#include <string>

#include "base/status.h"

namespace inquest::trace {

// Opens a file for reading and writing, creating it (0600) if it is missing; a
// link is an error. `flags`: more of open(2), such as O_TRUNC. The caller
// closes the descriptor.
Expected<int> OpenPrivate(const std::string& path, int flags = 0);

// Only creates it.
Status MakePrivate(const std::string& path, int flags = 0);

}  // namespace inquest::trace
