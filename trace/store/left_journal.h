// SPDX-License-Identifier: Apache-2.0
// The journal that a process left, all its segments together: whether the
// process may still write to it, and how its records get into the trace. Used
// by finish.cc, which decides where. Reads the journal only; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "trace/journal/journal_reader.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {

using Segments = std::vector<JournalReader>;  // the oldest first

// Leaves out those that were never used, and paths where there is none any
// more.
Expected<Segments> OpenSegments(const std::vector<std::string>& paths);

// kUnproven: it shows no sign of life, but may live on another machine.
enum class ProcessState { kDead, kAlive, kUnproven };
ProcessState StateOf(const Segments& segments);

struct Moved {
  uint64_t records = 0;
  uint64_t torn = 0;       // being written as the process died
  bool clean_end = false;  // the process ended normally
};

// Moves all that is not in the trace yet, in one transaction, and finishes it.
Expected<Moved> MoveRecords(Segments* segments, TraceWriter* writer);

}  // namespace inquest::trace
