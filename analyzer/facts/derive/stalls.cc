// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/stalls.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/facts/derive/collective_dumps.h"
#include "base/rows.h"

namespace inquest::facts {
namespace {

using Kind = CollectiveStall::Kind;
using Role = RankState::Role;

constexpr int64_t kNanosecondsInMs = 1'000'000;

struct StallRow {
  template <class V>
  void Columns(V& v) {
    v("kind", kind);
    v("group_name", group_name);
    v("description", description);
    v("members", members);
    v("seqnum", seqnum);
    v("optype", optype);
    v("input_sizes", input_sizes);
    v("input_dtypes", input_dtypes);
    v("time", time);
    v("timeout_ms", timeout_ms);
    v("timed_out", timed_out);
    v("entered_ranks", entered_ranks);
    v("waiting", waiting);
    v("missing_ranks", missing_ranks);
    v("missing", missing);
    v("dumpless_ranks", dumpless_ranks);
    v("odd_ranks", odd_ranks);
    v("differs", differs);
    v("expected", expected);
    v("found", found);
  }
  const char* kind = "";
  std::string group_name;
  std::optional<std::string> description;
  size_t members = 0;
  int64_t seqnum = 0;
  std::optional<std::string> optype, input_sizes, input_dtypes;
  std::optional<int64_t> time, timeout_ms;
  bool timed_out = false;
  std::string entered_ranks;
  size_t waiting = 0;
  std::optional<std::string> missing_ranks;
  size_t missing = 0;
  std::optional<std::string> dumpless_ranks, odd_ranks;
  std::optional<std::string> differs, expected, found;
};

struct RankRow {
  template <class V>
  void Columns(V& v) {
    v("role", role);
    v("rank", rank);
    v("process", process);
    v("path", path);
    v("entries", entries);
    v("pending", pending);
    v("first_pending_time", first_pending_time);
    v("missing_from", missing_from);
    v("waits_for", waits_for);
    v("waits_for_absent", waits_for_absent);
    v("behind", behind);
    v("behind_group", behind_group);
    v("behind_seqnum", behind_seqnum);
    v("behind_optype", behind_optype);
    v("behind_time", behind_time);
  }
  const char* role = "";
  int64_t rank = 0;
  int64_t process = 0;
  std::string path;
  int64_t entries = 0;
  int64_t pending = 0;
  std::optional<int64_t> first_pending_time;
  int64_t missing_from = 0;
  std::optional<std::string> waits_for;
  int64_t waits_for_absent = 0;
  int64_t behind = 0;
  std::optional<std::string> behind_group;
  std::optional<int64_t> behind_seqnum;
  std::optional<std::string> behind_optype;
  std::optional<int64_t> behind_time;
};

struct AbsentRow {
  template <class V>
  void Columns(V& v) {
    v("state", state);
    v("rank", rank);
    v("path", path);
    v("waiting", waiting);
  }
  const char* state = "none";
  int64_t rank = 0;
  std::optional<std::string> path;
  size_t waiting = 0;
};

std::string Join(const std::set<int64_t>& ranks) {
  constexpr size_t kMax = 64;
  std::string text;
  size_t written = 0;
  for (const int64_t rank : ranks) {
    if (++written > kMax) {
      return text + fmt::format(" and {} more", ranks.size() - kMax);
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", rank);
  }
  return text;
}

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kMissing:
      return "missing";
    case Kind::kMismatch:
      return "mismatch";
    case Kind::kEntered:
      return "entered";
    case Kind::kUnknown:
      break;
  }
  return "unknown";
}

const char* NameOf(Role role) {
  switch (role) {
    case Role::kCulprit:
      return "culprit";
    case Role::kDeadlock:
      return "deadlock";
    case Role::kOdd:
      return "odd";
    case Role::kWaiting:
      return "waiting";
    case Role::kUnknown:
      return "unknown";
    case Role::kIdle:
      break;
  }
  return "idle";
}

// A rank still worked after the collective's timeout, but no watchdog is known
// to have given up on it.
bool HasTimedOut(const CollectiveDumps& dumps, const CollectiveStall& stall) {
  if (stall.timed_out || !stall.time || !stall.timeout_ms) {
    return stall.timed_out;
  }
  return (dumps.newest() - *stall.time) / kNanosecondsInMs >= *stall.timeout_ms;
}

StallRow RowOf(const CollectiveDumps& dumps, const CollectiveStall& stall) {
  const CollectiveGroup& group = dumps.record().groups[stall.group];
  StallRow row;
  row.kind = NameOf(stall.kind);
  row.group_name = group.name;
  row.description = NullIfEmpty(group.description);
  row.members = group.members_told ? group.members.size() : 0;
  row.seqnum = stall.seq;
  row.optype = NullIfEmpty(stall.call.type);
  row.input_sizes = NullIfEmpty(stall.call.input_sizes);
  row.input_dtypes = NullIfEmpty(stall.call.input_dtypes);
  row.time = stall.time;
  row.timeout_ms = stall.timeout_ms;
  row.timed_out = HasTimedOut(dumps, stall);
  row.entered_ranks = Join(stall.entered);
  row.waiting = stall.waiting.size();
  row.missing_ranks = NullIfEmpty(Join(stall.missing));
  row.missing = stall.missing.size();
  row.dumpless_ranks = NullIfEmpty(Join(stall.dumpless));
  row.odd_ranks = NullIfEmpty(Join(stall.odd));
  row.differs = NullIfEmpty(stall.differs);
  row.expected = NullIfEmpty(stall.expected);
  row.found = NullIfEmpty(stall.found);
  return row;
}

RankRow RowOf(const CollectiveDumps& dumps, int64_t rank,
              const CollectiveWaits& waits) {
  const RankState& state = waits.ranks.at(rank);
  const DumpRow& dump = dumps.rows().at(rank);
  const LeftBehind& behind = state.behind;
  RankRow row;
  row.role = NameOf(state.role);
  row.rank = rank;
  row.process = dump.dump.process;
  row.path = dump.path;
  row.entries = dump.entries;
  row.pending = dumps.record().dumps.at(rank).pending;
  row.first_pending_time = dump.first_pending;
  row.missing_from = state.missing_from;
  row.waits_for = NullIfEmpty(Join(state.waits_for));
  row.waits_for_absent = std::ranges::count_if(
      state.waits_for, [&](int64_t on) { return waits.absent.contains(on); });
  row.behind = behind.calls;
  if (behind.calls == 0) return row;
  row.behind_group = dumps.record().groups[behind.group].name;
  row.behind_seqnum = behind.seq;
  row.behind_optype = NullIfEmpty(behind.type);
  if (behind.time != INT64_MAX) row.behind_time = behind.time;
  return row;
}

Status AddAbsent(Store* store, const CollectiveDumps& dumps,
                 const CollectiveWaits& waits) {
  ASSIGN_OR_RETURN(auto absent, InsertInto<AbsentRow>(
                                    &store->db(), "store_collective_absent"));
  for (const auto& [rank, waiting] : waits.absent) {
    AbsentRow row{"none", rank, {}, waiting.size()};
    if (const auto cut = dumps.rows().find(rank); cut != dumps.rows().end()) {
      row.state = "cut";
      row.path = cut->second.path;
    }
    RETURN_IF_ERROR(absent.Add(row));
  }
  return Status::Ok();
}

}  // namespace

Status CollectStalls(Store* store) {
  CollectiveDumps dumps(store);
  RETURN_IF_ERROR(dumps.Read());
  if (dumps.rows().empty()) return Status::Ok();
  const CollectiveWaits waits = FindWaits(dumps.record());
  ASSIGN_OR_RETURN(auto stalls, InsertInto<StallRow>(&store->db(),
                                                     "store_collective_stall"));
  for (const CollectiveStall& stall : waits.stalls) {
    RETURN_IF_ERROR(stalls.Add(RowOf(dumps, stall)));
  }
  ASSIGN_OR_RETURN(auto ranks,
                   InsertInto<RankRow>(&store->db(), "store_collective_rank"));
  for (const auto& [rank, state] : waits.ranks) {
    RETURN_IF_ERROR(ranks.Add(RowOf(dumps, rank, waits)));
  }
  return AddAbsent(store, dumps, waits);
}

}  // namespace inquest::facts
