// SPDX-License-Identifier: Apache-2.0
// Finishes the trace of a dead process: moves the records that are still in its
// journal into the trace. Called by every command that opens a run. Safe while
// the process lives (then it only reports so), safe to repeat, safe for two
// callers at once (a file lock decides). Deletes nothing that it has not
// stored.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "trace/store/private_copy.h"

namespace inquest::trace {

struct FinishResult {
  bool had_journal = false;
  bool process_alive = false;  // records so far are readable, more may follow
  bool nothing_yet = false;    // alive, and there is no table in its trace yet
  bool clean_end = false;      // the process ended normally
  uint64_t recovered = 0;      // records moved by this call
  uint64_t torn = 0;  // records that the process was writing as it died
  // Where to read it, for as long as this lives, if not at its own path.
  std::unique_ptr<PrivateCopy> copy;
};

// `trace_path` names the .trace.sqlite; its journal is found beside it. A trace
// that does not exist yet is made from the journal alone. Where the directory
// is not ours, or cannot be written, a private copy is finished instead, and
// the run stays as it is; without room for one the status says so
// (kIncomplete). Links, pipes and the like are never followed.
Expected<FinishResult> FinishTrace(const std::string& trace_path);

}  // namespace inquest::trace
