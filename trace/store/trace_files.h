// SPDX-License-Identifier: Apache-2.0
// The files of one trace in a run's directory, whose they are, and whether they
// may be finished where they lie. A run may not be trusted: its files may
// be links or pipes, and the directory may belong to someone else. Used by
// finish.cc before anything is opened for writing. Only looks; any thread.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace inquest::trace {

struct TraceFiles {
  std::string folder;  // ends with a slash; "./" for the current one
  std::string trace;   // names in it
  std::vector<std::string> journals;  // the segments that exist
  std::vector<std::string> others;    // what SQLite left beside the trace
  bool has_trace = false;
  // A journal, or changes that SQLite has not moved into the trace.
  bool unfinished = false;
  // The directory and all files belong to our user, none has a second name, and
  // they can be written. Root has no more right to change a user's run.
  bool ours = false;
};

// An error names the first file that is a link, a pipe or the like, or that
// would make SQLite delete a file elsewhere.
Expected<TraceFiles> LookAtTrace(const std::string& trace_path);

// The journal of a trace: "a/p.trace.sqlite" -> "a/p.journal"; it may have
// further segments (journal.h).
std::string JournalPath(const std::string& trace_path);

}  // namespace inquest::trace
