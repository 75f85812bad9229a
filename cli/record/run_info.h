// SPDX-License-Identifier: Apache-2.0
// run.json, the description of a run: which command, where, when, how it ended.
// Written by the runner as the command starts (so that it exists even if a
// process is killed) and again, atomically, when it has ended; read by the
// analyzer and by other tools. Schema "inquest.run/1": additive changes only.
// Times are nanoseconds since 1970-01-01 UTC. It never contains a user's name,
// or environment variables except the ids of the job.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cgroup/memory_groups.h"
#include "base/status.h"

namespace inquest::record {

struct RunInfo {
  std::vector<std::string> command;
  std::string cwd;
  std::string host;
  std::string inquest_version;
  int64_t pid = 0;  // of the command; 0: never started
  // Distinguishes this process from a later one with the same pid, as in
  // trace/journal/process_clock.h; 0: unknown.
  uint64_t process_start = 0;
  uint64_t pid_namespace = 0;
  uint64_t boot = 0;
  int64_t start_ns = 0;
  std::optional<int64_t> end_ns;   // none: still running, or record was killed
  std::optional<int> exit_status;  // none: killed by `signal`, or not ended
  std::optional<int> signal;
  bool core_dumped = false;
  // The recorder became the command, so its end was not seen.
  bool in_place = false;
  std::string start_error;  // why the command could not be run

  std::string collector;          // path; empty: recorded without
  std::string collector_missing;  // why it is missing although wanted

  std::string console_log;        // file name in the run directory; empty: none
  std::string console_error;      // why the console log is not complete
  uint64_t console_bytes = 0;     // kept
  uint64_t console_left_out = 0;  // bytes between the beginning and the end
  // A process that outlived the command held its stdout or stderr open; what it
  // wrote later may follow in the console log.
  bool console_left_open = false;

  // The control groups that limit host memory, as the recorder read them before
  // the command and after its end.
  std::vector<MemoryGroup> groups_before;
  std::vector<MemoryGroup> groups_after;

  std::map<std::string, std::string> job;  // SLURM_JOB_ID, RANK, …

  bool ended() const { return end_ns.has_value(); }
};

std::string HostName();  // of this machine; empty if it has none

// "ended", "alive", "vanished": no end was written and the command's process is
// gone; empty if unknown (another machine, or never started).
std::string StateOf(const RunInfo& info);

std::string RunInfoToJson(const RunInfo& info);

// Reads <directory>/run.json. Fields that are missing or of another type stay
// empty. Errors: missing, not JSON (truncated), not of this schema, or of a
// newer one.
Expected<RunInfo> ReadRunInfo(const std::string& directory);

// Replaces <directory>/run.json in one step: readers see the old or the new.
Status WriteRunInfo(const std::string& directory, const RunInfo& info);

}  // namespace inquest::record
