// What was live when most was held, in a few numbers, for reports; of a pool
// whose peak is not known, what was live when it gave up or at the end; and
// whether the replay met what cannot be. Read off the facts peak_site,
// peak_size, held_site and replay_fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"

namespace inquest::report {

struct PeakSite {
  std::string function;  // with its callers where it has any
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

struct PeakSummary {
  int64_t process = 0;
  int64_t device = 0;
  std::string layer;        // device or pool
  std::string at = "peak";  // or: refusal, end
  int64_t bytes = 0;
  int64_t blocks = 0;
  // How long it was needed; not known where there are no steps.
  std::optional<int64_t> persistent_bytes, step_bytes, transient_bytes;
  // Of these, made in an earlier step than that of the peak.
  std::optional<int64_t> carried_bytes;
  int64_t waiting_bytes = 0;    // given back, and kept for another stream
  std::vector<PeakSite> sites;  // the largest
  std::vector<PeakSize> sizes;
};

// A site whose blocks are made and freed in the same step, again and again.
struct ShortLivedSite {
  int64_t process = 0;
  int64_t device = 0;
  std::string function;
  int64_t blocks = 0;
  int64_t bytes = 0;  // all of them
  int64_t time = 0;   // nanoseconds, how long one lived on the average
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

inline constexpr int kMostPeakSites = 10;
inline constexpr int kMostShortLived = 10;

Expected<std::vector<PeakSummary>> SummarizePeaks(facts::Store* store);
// Those that come at least once a step; the driver's first, then the commonest.
Expected<std::vector<ShortLivedSite>> SummarizeShortLived(facts::Store* store);
Expected<std::vector<FaultSummary>> SummarizeFaults(facts::Store* store);

}  // namespace inquest::report
