// SPDX-License-Identifier: Apache-2.0
// `--redact`, with the same words for each command that has it.
#pragma once

#include "cli/command.h"

namespace inquest::cli {

inline void AddRedactOption(Command command, bool* redact) {
  command.Flag("--redact", redact,
               "Replace names of hosts, users and folders, addresses, UUIDs "
               "and the like (docs/redaction.md)");
}

}  // namespace inquest::cli
