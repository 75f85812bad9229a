// SPDX-License-Identifier: Apache-2.0
// A run as a job of many ranks: which ranks there are and which left nothing to
// read, what the others waited for, who of them did not, and whether the order
// of events on different nodes is known. Plain data for the reports, made from
// the facts and the ranked findings. A run of fewer than two ranks has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inquest::findings {

using Ranks = std::vector<int64_t>;  // ascending

// A collective, or the connection to a peer, that ranks waited for.
struct Wait {
  std::string optype;             // ALLREDUCE; empty: unknown
  std::optional<int64_t> seqnum;  // of the operation
  Ranks ranks;                    // that waited
};

// A rank that did not wait with the others, if no cause is known.
struct Suspect {
  int64_t rank = 0;
  std::string host;  // may be empty
  std::string why;   // "no log of it was given"
};

struct JobClock {
  std::string clock;  // "node7", or a log's path
  int64_t offset_ns = 0;
  int64_t error_ns = 0;
  std::string tied_by;  // empty: nothing
};

struct Job {
  int64_t world = 0;  // ranks of the job; 0: unknown
  Ranks ranks;        // of which there is something
  Ranks missing;      // of which there is nothing
  Ranks cut;          // whose logs end in the middle of a line
  std::vector<std::string> hosts;
  std::vector<Wait> waits;  // those of most ranks first
  Ranks lost_peer;          // that report a lost connection
  std::vector<Suspect> suspects;
  std::vector<JobClock> clocks;
  // How many symptoms of the verdict may have come before it, for all that the
  // clocks say.
  size_t order_unknown = 0;
};

}  // namespace inquest::findings
