// SPDX-License-Identifier: Apache-2.0
// Runs a command under the collector and keeps its output: the engine of
// `inquest record`. The command, the terminal and our caller should not notice
// that we are in between: output passes unchanged and at once, signals reach
// the command, its end becomes ours.
//
// Called once per process by the command line, from a program with one thread
// (it forks and installs signal handlers until the command has ended). Prints
// only on stderr, in lines that begin with "inquest: ". Problems on our side
// (no directory, disk full, no collector) are reported in such a line and in
// run.json, and the command still runs.
//
// Limits: a program that changes the terminal's modes or reads the keyboard
// through its stdout or stderr instead of stdin or /dev/tty (full-screen
// programs do) talks to our terminal pair, not to the user's terminal; so an
// interactive shell that is recorded has no job control of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace inquest::record {

struct RecordOptions {
  std::vector<std::string> command;  // program and its arguments
  // Where to keep the run; empty: runs/<program>-<date>-<time>. If the
  // directory already has a run, <directory>-2 is taken.
  std::string directory;
  std::string
      collector_path;     // empty: search the places of installation and build
  bool collector = true;  // false: only the console is kept
  // Of console.log, see console_log.h; INQUEST_MAX_DISK may make it less.
  uint64_t console_bytes = uint64_t{64} << 20;
};

struct RecordResult {
  int exit_code = 0;      // as $? in a shell: 128 + signal if one killed it
  int signal = 0;         // the signal that killed the command, else 0
  bool started = false;   // false: not found (127) or not executable (126)
  bool died = false;      // started, and exit_code is not 0
  std::string directory;  // as given or chosen; empty: none could be made
  bool collector_used = false;
  bool touched_gpu = false;  // a process left a trace
};

// An error only if there was nothing to run or no process could be made.
Expected<RecordResult> Record(const RecordOptions& options);

// Ends this process as the command ended: with its exit code or by the same
// signal, without a second core file.
[[noreturn]] void ExitLike(const RecordResult& result);

}  // namespace inquest::record
