// SPDX-License-Identifier: Apache-2.0
// A recorded run's use of device and host memory, in a few numbers, for
// reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/report/peak_summary.h"
#include "base/figures.h"

namespace inquest::report {

// What memory outside of devices was for.
enum class HostMemory {
  kPinned,       // page-locked, by the driver's calls
  kFramework,    // of a framework's own allocator, as its profiler counts it
  kExecutables,  // compiled programs, as JAX's profile counts them
};

struct DeviceSummary {
  int64_t process = 0;
  int64_t device = 0;
  int64_t allocations = 0;
  int64_t frees = 0;
  int64_t failed = 0;
  int64_t peak_bytes = 0;
  int64_t peak_time = 0;  // nanoseconds since 1970
  int64_t live_bytes = 0;
  std::optional<int64_t> capacity_bytes;
  // If a framework's pool reports its blocks, the figures above count these
  // blocks, and the next two what the pool reserved from the driver.
  std::optional<int64_t> reserved_peak_bytes;
  std::optional<int64_t> reserved_bytes;
  // The pool's own totals, which include blocks that no event recorded.
  std::optional<int64_t> allocated_peak_bytes;
  std::optional<int64_t> allocated_bytes;
  // Part of the figures above that was live before the first event.
  std::optional<int64_t> before_bytes;
  // Only what was live at one moment is known; a peak it is not.
  bool one_moment = false;
  std::string when;  // that was: "when the profile was taken"
  std::string what;  // is counted then: "buffer"
  // What was live before a profile began has no events, and no sum names it.
  bool only_since_profile = false;
  std::string name;  // of the device, where the record has only that
  std::string path;  // of the trace, as the user named it
  HostMemory host_memory = HostMemory::kPinned;  // of the host's
};

// What was in use on a device outside of a framework's pool, at the driver's
// last sample before the end. The parts add up.
struct OutsidePool {
  int64_t process = 0;
  int64_t device = 0;
  int64_t bytes = 0;
  int64_t own_bytes = 0;        // this process's other allocations
  int64_t other_bytes = 0;      // of other processes
  int64_t remainder_bytes = 0;  // contexts, modules, libraries
};

// A process in which nobody could ask whether memory leaks, and why.
struct UnjudgedLeaks {
  int64_t process = 0;
  std::string why;
};

struct Summary {
  std::vector<DeviceSummary> devices;
  std::vector<DeviceSummary> host;  // by process and what it was for
  std::vector<OutsidePool> outside;
  std::vector<PeakSummary> peaks;
  std::vector<ShortLivedSite> short_lived;
  std::vector<FaultSummary> faults;
  std::vector<UnjudgedLeaks> unjudged_leaks;
  int64_t events = 0;  // memory events replayed
  double duration_s = 0;
};

Expected<Summary> Summarize(facts::Store* store, int64_t events);
// The rows of the fact `coverage`.
Expected<std::vector<Figures>> CoverageRows(facts::Store* store);

}  // namespace inquest::report
