// SPDX-License-Identifier: Apache-2.0
// The trace of a process that lives, or that a reader on another machine or in
// another PID namespace cannot tell from one that does. Used by finish.cc,
// which leaves such a trace as it is. Reads only, but for Settle. Any thread.
#pragma once

#include <string>

#include "base/status.h"

namespace inquest::trace {

// There is no table in it: the journal is made first, and all tables in one
// transaction.
bool HasNoTable(const std::string& trace_path);

// Its writer was stopped in the middle of a change, and only who may write to
// it can read it: SQLite first takes the change back.
bool NeedsRollback(const std::string& trace_path);

// Makes a copy of it, which nobody else uses, one file.
Status Settle(const std::string& copy_path);

}  // namespace inquest::trace
