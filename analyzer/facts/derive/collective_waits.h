// SPDX-License-Identifier: Apache-2.0
// Finds where ranks wait for each other, from the entries of each rank's flight
// recorder: which collective of a process group did not complete, which ranks
// entered it, which did not, and which made another call instead; and, over all
// groups, which ranks others wait for although they do not wait themselves. For
// stalls.cc, which reads the facts and writes the results.
//
// All members of a group number its collectives equally, so entries of one
// number belong together. A recorder keeps only its last entries (or only those
// not completed), so a rank without an entry of a number has passed it if it
// has entries, or a status, with higher numbers. Numbers of point-to-point
// operations differ: a pending one without its counterpart waits for the other
// side. A rank without a dump, or with one that was cut off, is never said to
// have stayed away: others wait for it, and whether it waits, too, is unknown.
//
// Cost: O(entries log entries). One thread, no input or output.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace inquest::facts {

struct RankDump {
  int64_t rank = 0;
  int64_t oldest_time = INT64_MAX;  // of its entries
  int64_t pending = 0;
  bool sizes_of_all_to_all = true;  // its format version has them
  bool whole = true;                // not cut off
};

struct CollectiveGroup {
  std::string name;
  std::string description;
  std::vector<int64_t> members;              // by their ranks in the group
  bool members_told = true;                  // if not: the ranks with entries
  std::map<int64_t, int64_t> last_enqueued;  // by rank; of collectives or p2p
  std::map<int64_t, int64_t> last_completed;
};

struct CollectiveCall {
  size_t group = 0;
  int64_t rank = 0;
  int64_t seq = 0;
  int64_t op = 0;  // order within a coalesced call
  std::string type;
  std::string input_sizes, output_sizes;  // JSON
  std::string input_dtypes, output_dtypes;
  bool completed = false;
  bool timed_out = false;
  std::optional<int64_t> time;
  std::optional<int64_t> timeout_ms;
};

struct PointToPoint {
  size_t group = 0;
  int64_t rank = 0;  // of the job
  int64_t peer = 0;  // of the job
  int64_t seq = 0;
  bool send = false;
  bool completed = false;
  std::string sizes;  // JSON
  std::optional<int64_t> time;
  std::optional<int64_t> timeout_ms;
};

struct CollectiveStall {
  enum class Kind { kMissing, kMismatch, kEntered, kUnknown };
  Kind kind = Kind::kEntered;
  size_t group = 0;
  int64_t seq = 0;
  CollectiveCall call;  // the call of most ranks
  std::optional<int64_t> time;
  std::optional<int64_t> timeout_ms;
  bool timed_out = false;
  std::set<int64_t> entered;
  std::set<int64_t> waiting;  // those that did not complete it
  std::set<int64_t> missing;
  std::set<int64_t> dumpless;  // without a dump, or with one that was cut off
  std::set<int64_t> odd;
  std::string differs, expected, found;
};

// Collectives that one rank has pending though a peer completed them, and the
// first of them.
struct LeftBehind {
  int64_t calls = 0;
  int64_t time = INT64_MAX;
  size_t group = 0;
  int64_t seq = 0;
  std::string type;
};

struct RankState {
  enum class Role { kCulprit, kDeadlock, kOdd, kWaiting, kIdle, kUnknown };
  Role role = Role::kIdle;
  int64_t missing_from = 0;
  LeftBehind behind;
  std::set<int64_t> waits_for;
};

struct CollectiveWaits {
  std::vector<CollectiveStall> stalls;  // in the order of time
  std::map<int64_t, RankState> ranks;   // those with dumps
  // Ranks without a whole dump that others wait for, and who waits.
  std::map<int64_t, std::set<int64_t>> absent;
};

struct CollectiveRecord {
  std::map<int64_t, RankDump> dumps;  // by rank
  std::vector<CollectiveGroup> groups;
  // All calls of each collective that is pending on some rank; in any order.
  std::vector<CollectiveCall> calls;
  std::vector<PointToPoint> points;
  // The highest number that a rank had in a group: (group, rank).
  std::map<std::pair<size_t, int64_t>, int64_t> furthest;
  std::set<size_t> groups_with_points;
};

CollectiveWaits FindWaits(const CollectiveRecord& record);

// Elements of all tensors in a JSON list of sizes, saturated; -1: not such a
// list.
int64_t ElementsOf(const std::string& sizes);

}  // namespace inquest::facts
