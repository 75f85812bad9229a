// SPDX-License-Identifier: Apache-2.0
// The recording of this process: its journal and files, and whether it is on.
// Begins when a library of CUDA or of a framework is loaded (dlopen_hook.h) or
// first used, so a process without one leaves no files and has no cost. Ends at
// exit, or earlier for good if the collector fails, which is reported once on
// stderr and in the trace.
//
// Current is one atomic load and may be called anywhere, signal handlers
// included. A session is never destroyed: other threads may still hold it.
// A forked child begins without a session.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "collector/core/config.h"
#include "collector/core/recent_callers.h"
#include "trace/journal/journal.h"
#include "trace/journal/process_clock.h"

namespace inquest::collector {

struct Session {
  Config config;
  std::unique_ptr<trace::Journal> journal;
  std::string trace_path;
  int64_t begin_ns = trace::MonotonicNs();
  RecentCallers callers;
  // Differs between a process and the children it forks, so that caches of a
  // thread or process can detect that they are stale.
  uint32_t generation = 0;
};

namespace internal {
extern std::atomic<Session*> g_session;
}

inline Session* Current() {
  return internal::g_session.load(std::memory_order_acquire);
}
// The same, but begins recording if it has not begun. Null if recording is off
// or has ended.
Session* EnsureSession();

// One line on stderr, if that is still what it was when NoteStderr was called,
// as we were loaded: a host may have closed it and opened a file of its own in
// its place.
void Complain(const char* what);
void NoteStderr();
// The same, also recorded in the trace, after which nothing more is recorded.
// Returns false and prints nothing if recording is already off or ending.
bool SwitchOff(const char* why);
// The clean end, called at exit: drains for at most a few seconds and makes the
// trace one file. Records that are left then, and those of other threads while
// the process exits, stay in the journal for FinishTrace.
void EndSession();

// Around fork; see lifecycle.cc.
void SessionBeforeFork();
void SessionAfterForkInParent();
void SessionAfterForkInChild();

}  // namespace inquest::collector
