// SPDX-License-Identifier: Apache-2.0
// What was live at the memory peak, in a few numbers, for reports. For a pool
// with an unknown peak: what was live when it ran out of memory, or at the end.
// Also the contradictions that the replay found. From the facts peak_site,
// peak_size, held_site and replay_fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"

namespace inquest::report {

struct PeakSite {
  std::string function;  // with its callers, if known
  std::string file;      // may be empty
  int64_t line = 0;
  int64_t bytes = 0;
  int64_t blocks = 0;
};

struct PeakSize {
  int64_t least_bytes = 0;
  int64_t bytes = 0;
  int64_t blocks = 0;
};

struct PeakCategory {
  std::string category;
  std::string told_by;
  int64_t blocks = 0;
  int64_t bytes = 0;
};

struct PeakSummary {
  int64_t process = 0;
  int64_t device = 0;
  std::string layer;        // device or pool
  std::string at = "peak";  // or: refusal, end
  int64_t bytes = 0;
  int64_t blocks = 0;
  // How long it was needed; unknown without steps.
  std::optional<int64_t> persistent_bytes, step_bytes, transient_bytes;
  // Part of these that was allocated in a step before the peak's.
  std::optional<int64_t> carried_bytes;
  int64_t waiting_bytes = 0;    // freed, but kept for another stream
  std::vector<PeakSite> sites;  // the largest
  std::vector<PeakSize> sizes;
  std::vector<PeakCategory> categories;  // the largest first
  // Nothing names the steps by which lifetimes were judged.
  bool steps_are_guessed = false;
};

// A site whose blocks are allocated and freed within one step, again and again.
struct ShortLivedSite {
  int64_t process = 0;
  int64_t device = 0;
  std::string function;
  int64_t blocks = 0;
  int64_t bytes = 0;  // all of them
  int64_t time = 0;   // average lifetime of a block, nanoseconds
  int64_t by_driver = 0;
  double per_step = 0;
};

struct FaultSummary {
  int64_t process = 0;
  int64_t device = 0;
  std::string kind;
  int64_t count = 0;
  int64_t first_event = 0;
};

inline constexpr int kMaxPeakSites = 10;
inline constexpr int kMaxShortLived = 10;

Expected<std::vector<PeakSummary>> SummarizePeaks(facts::Store* store);
// Sites that allocate at least once a step: first those that call the driver,
// then by frequency.
Expected<std::vector<ShortLivedSite>> SummarizeShortLived(facts::Store* store);
Expected<std::vector<FaultSummary>> SummarizeFaults(facts::Store* store);

}  // namespace inquest::report
