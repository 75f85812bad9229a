// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/collective_waits.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analyzer/facts/derive/collective_behind.h"
#include "analyzer/facts/derive/collective_match.h"
#include "analyzer/facts/derive/collective_points.h"
#include "analyzer/facts/derive/collective_ring.h"
#include "base/json_text.h"

namespace inquest::facts {
namespace {

using Kind = CollectiveStall::Kind;
using Role = RankState::Role;
using CallsOfRanks = std::map<int64_t, std::vector<const CollectiveCall*>>;

class Waits {
 public:
  explicit Waits(const CollectiveRecord& record) : record_(record) {}

  CollectiveWaits Find() {
    for (const auto& [rank, dump] : record_.dumps) waits_.ranks[rank];
    GatherCalls();
    for (const auto& [group, by_seq] : calls_) FindStalls(group, by_seq);
    std::ranges::move(ComparePoints(record_),
                      std::back_inserter(waits_.stalls));
    for (const CollectiveStall& stall : waits_.stalls) Draw(stall);
    DrawPoints();
    for (auto& [rank, behind] : FindLeftBehind(record_)) {
      if (Tells(rank)) waits_.ranks[rank].behind = behind;
    }
    GiveRoles();
    AddPointStalls();
    SortStalls();
    return std::move(waits_);
  }

 private:
  void GatherCalls() {
    for (const CollectiveCall& call : record_.calls) {
      calls_[call.group][call.seq][call.rank].push_back(&call);
    }
    for (auto& [group, by_seq] : calls_) {
      for (auto& [seq, ranks] : by_seq) {
        for (auto& [rank, list] : ranks) {
          std::stable_sort(
              list.begin(), list.end(),
              [](const auto* a, const auto* b) { return a->op < b->op; });
        }
      }
    }
  }

  // The first collective that did not complete; if all ranks entered that one,
  // also the first that some rank did not enter, because nothing gets past it.
  void FindStalls(size_t group, const std::map<int64_t, CallsOfRanks>& by_seq) {
    bool any = false;
    for (const auto& [seq, calls] : by_seq) {
      CollectiveStall stall = Judge(group, seq, calls);
      if (stall.waiting.empty()) continue;
      const bool told =
          stall.kind == Kind::kMissing || stall.kind == Kind::kMismatch;
      if (told || !any) waits_.stalls.push_back(std::move(stall));
      any = true;
      if (told) break;
    }
  }

  CollectiveStall Judge(size_t group, int64_t seq, const CallsOfRanks& calls) {
    CollectiveStall stall;
    stall.group = group;
    stall.seq = seq;
    bool sizes_told = true;
    for (const auto& [rank, list] : calls) {
      stall.entered.insert(rank);
      sizes_told = sizes_told && record_.dumps.at(rank).sizes_of_all_to_all;
      for (const CollectiveCall* call : list) {
        if (!call->completed) stall.waiting.insert(rank);
        stall.timed_out = stall.timed_out || call->timed_out;
        if (call->time) {
          stall.time = std::min(*call->time, stall.time.value_or(INT64_MAX));
        }
        if (call->timeout_ms) {
          stall.timeout_ms =
              std::max(*call->timeout_ms, stall.timeout_ms.value_or(0));
        }
      }
    }
    FindMissing(&stall);
    const bool whole = stall.missing.empty() && stall.dumpless.empty() &&
                       record_.groups[group].members.size() == calls.size();
    const CollectiveMismatch mismatch = MatchCalls(calls, whole && sizes_told);
    stall.call = *mismatch.usual;
    if (!mismatch.differs.empty()) {
      stall.kind = Kind::kMismatch;
      stall.odd = mismatch.odd;
      stall.differs = mismatch.differs;
      stall.expected = mismatch.expected;
      stall.found = mismatch.found;
    } else if (!stall.missing.empty()) {
      stall.kind = Kind::kMissing;
    } else if (!stall.dumpless.empty()) {
      stall.kind = Kind::kUnknown;
    }
    return stall;
  }

  void FindMissing(CollectiveStall* stall) const {
    for (const int64_t rank : record_.groups[stall->group].members) {
      if (stall->entered.contains(rank)) continue;
      if (HasPassed(*stall, rank)) continue;
      if (!Tells(rank)) {
        stall->dumpless.insert(rank);
      } else if (!MayHaveDropped(*stall, record_.dumps.at(rank))) {
        stall->missing.insert(rank);
      }
    }
  }

  bool HasPassed(const CollectiveStall& stall, int64_t rank) const {
    const auto seen = record_.furthest.find({stall.group, rank});
    if (seen != record_.furthest.end() && seen->second > stall.seq) return true;
    if (record_.groups_with_points.contains(stall.group)) return false;
    const auto& status = record_.groups[stall.group].last_enqueued;
    const auto known = status.find(rank);
    return known != status.end() && known->second >= stall.seq;
  }

  // Its record begins after the others entered, and it has neither entries nor
  // a status of this group.
  bool MayHaveDropped(const CollectiveStall& stall,
                      const RankDump& dump) const {
    if (record_.furthest.contains({stall.group, dump.rank})) return false;
    if (record_.groups[stall.group].last_enqueued.contains(dump.rank)) {
      return false;
    }
    return dump.oldest_time != INT64_MAX && stall.time &&
           dump.oldest_time > *stall.time;
  }

  // That a collective is not in a dump which was cut off means nothing.
  bool Tells(int64_t rank) const {
    const auto dump = record_.dumps.find(rank);
    return dump != record_.dumps.end() && dump->second.whole;
  }

  void Wait(int64_t rank, int64_t on) {
    if (rank == on) return;
    waits_.ranks[rank].waits_for.insert(on);
    if (Tells(on)) {
      awaited_.insert(on);
    } else {
      waits_.absent[on].insert(rank);
    }
  }

  void Draw(const CollectiveStall& stall) {
    if (stall.kind == Kind::kMissing || stall.kind == Kind::kUnknown) {
      for (const int64_t on : stall.missing) ++waits_.ranks[on].missing_from;
      for (const int64_t rank : stall.waiting) {
        for (const int64_t on : stall.missing) Wait(rank, on);
        for (const int64_t on : stall.dumpless) Wait(rank, on);
      }
    }
    if (stall.kind == Kind::kEntered || stall.kind == Kind::kMismatch) {
      held_.insert(stall.waiting.begin(), stall.waiting.end());
    }
    if (stall.kind == Kind::kMismatch) {
      odd_.insert(stall.odd.begin(), stall.odd.end());
    }
  }

  void DrawPoints() {
    const PointWaits points = FindPointWaits(record_);
    held_.insert(points.held.begin(), points.held.end());
    std::set<std::pair<int64_t, int64_t>> counted;
    for (const PointToPoint* point : points.alone) {
      Wait(point->rank, point->peer);
      if (!counted.emplace(point->rank, point->peer).second) continue;
      if (Tells(point->peer)) ++waits_.ranks[point->peer].missing_from;
      const PointToPoint*& first = awaited_points_[point->peer];
      if (first == nullptr || IsBefore(*point, *first)) first = point;
    }
  }

  // Of ranks that only sends and receives wait for, the first of these.
  void AddPointStalls() {
    std::set<int64_t> named;
    for (const CollectiveStall& stall : waits_.stalls) {
      named.insert(stall.missing.begin(), stall.missing.end());
      named.insert(stall.dumpless.begin(), stall.dumpless.end());
    }
    for (const auto& [peer, point] : awaited_points_) {
      if (named.contains(peer)) continue;
      const bool culprit =
          Tells(peer) && waits_.ranks[peer].role == Role::kCulprit;
      if (!culprit && !waits_.absent.contains(peer)) continue;
      CollectiveStall stall = StallOf(*point);
      (culprit ? stall.missing : stall.dumpless).insert(peer);
      stall.kind = culprit ? Kind::kMissing : Kind::kUnknown;
      waits_.stalls.push_back(std::move(stall));
    }
  }

  void SortStalls() {
    std::stable_sort(waits_.stalls.begin(), waits_.stalls.end(),
                     [](const CollectiveStall& a, const CollectiveStall& b) {
                       return a.time.value_or(INT64_MAX) <
                              b.time.value_or(INT64_MAX);
                     });
  }

  // Dumps that were taken one after the other differ even if nobody waits.
  bool Hangs() const {
    return std::ranges::any_of(waits_.stalls, [](const auto& stall) {
      return stall.kind == Kind::kMissing || stall.timed_out;
    });
  }

  // The culprit is at the end of a chain of waits, or stands where its peers
  // have passed. If there is none, the waits may form a ring.
  void GiveRoles() {
    bool any = false;
    const bool hangs = Hangs();
    for (auto& [rank, state] : waits_.ranks) {
      const bool waits = !state.waits_for.empty() || held_.contains(rank);
      if (odd_.contains(rank)) {
        state.role = Role::kOdd;
        any = true;
      } else if (hangs && state.behind.calls > 0) {
        state.role = Role::kCulprit;
        any = true;
      } else if (awaited_.contains(rank) && !waits) {
        state.role = Role::kCulprit;
        any = true;
      } else if (waits) {
        state.role = Role::kWaiting;
        any = any || (held_.contains(rank) && awaited_.contains(rank));
      } else if (!Tells(rank)) {
        state.role = Role::kUnknown;
      }
    }
    if (!any && !awaited_.empty()) MarkRing();
  }

  void MarkRing() {
    for (const int64_t rank : FindRing(waits_.ranks, waits_.absent)) {
      waits_.ranks[rank].role = Role::kDeadlock;
    }
  }

  const CollectiveRecord& record_;
  CollectiveWaits waits_;
  std::map<size_t, std::map<int64_t, CallsOfRanks>> calls_;
  std::set<int64_t> awaited_;
  std::set<int64_t> held_;  // in a collective that all ranks entered
  std::set<int64_t> odd_;
  // By the rank that it waits for.
  std::map<int64_t, const PointToPoint*> awaited_points_;
};

int64_t ElementsIn(const nlohmann::json& sizes) {
  int64_t elements = 1;
  for (const auto& dimension : sizes) {
    if (!dimension.is_number_integer()) return -1;
    if (__builtin_mul_overflow(elements, dimension.get<int64_t>(), &elements)) {
      return INT64_MAX;
    }
  }
  return elements;
}

}  // namespace

CollectiveWaits FindWaits(const CollectiveRecord& record) {
  return Waits(record).Find();
}

int64_t ElementsOf(const std::string& sizes) {
  const nlohmann::json tensors = ParseJson(sizes);
  if (!tensors.is_array()) return -1;
  int64_t sum = 0;
  for (const auto& tensor : tensors) {
    const int64_t elements = tensor.is_array() ? ElementsIn(tensor) : -1;
    if (elements < 0) return -1;
    if (__builtin_add_overflow(sum, elements, &sum)) return INT64_MAX;
  }
  return sum;
}

}  // namespace inquest::facts
