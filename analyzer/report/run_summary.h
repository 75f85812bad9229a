// SPDX-License-Identifier: Apache-2.0
// What a result says of the run itself, for those who keep many: an id from its
// content, the scheduler's job, times, GPUs, versions, how far it came. Read
// from the facts; what they do not tell stays empty, nothing is guessed. One
// host's or many hosts' processes alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"

namespace inquest::report {

// A GPU as one process saw it.
struct GpuSeen {
  std::string host;
  int64_t pid = 0;
  int64_t device = 0;  // ordinal in that process
  std::string uuid, pci, name, driver;
};

// Steps that the run named or that were recorded.
struct Steps {
  std::optional<int64_t> first, last;
  // "log": the numbers in its own lines; "bar": of a progress bar; "trace":
  // counted from the start of the process. Empty: none are known.
  std::string from;
};

struct RunSummary {
  // Of what was read, whatever its path. Two small logs that are equal to the
  // byte have the same id.
  std::string id;
  std::string job;       // the scheduler's id
  std::string job_from;  // "process" or "log name"
  std::string host;
  std::optional<int64_t> start_time, end_time;  // nanoseconds since 1970
  std::string times_from;                       // "run", "trace" or "log"
  std::optional<int64_t> exit_code, signal, world_size;
  Steps steps;
  std::vector<GpuSeen> gpus;
  std::map<std::string, std::string> versions;  // driver, cuda, torch, …
};

Expected<RunSummary> SummarizeRun(facts::Store* store);

}  // namespace inquest::report
