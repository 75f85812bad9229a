// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/collective_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/facts/derive/collective_behind.h"
#include "analyzer/facts/derive/collective_match.h"
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
    ComparePoints();
    std::stable_sort(waits_.stalls.begin(), waits_.stalls.end(),
                     [](const CollectiveStall& a, const CollectiveStall& b) {
                       return a.time.value_or(INT64_MAX) <
                              b.time.value_or(INT64_MAX);
                     });
    for (const CollectiveStall& stall : waits_.stalls) Draw(stall);
    DrawPoints();
    for (auto& [rank, behind] : FindLeftBehind(record_)) {
      waits_.ranks[rank].behind = behind;
    }
    GiveRoles();
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
      const auto dump = record_.dumps.find(rank);
      if (dump == record_.dumps.end()) {
        stall->dumpless.insert(rank);
      } else if (!HasPassed(*stall, rank) &&
                 !MayHaveDropped(*stall, dump->second)) {
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

  void Wait(int64_t rank, int64_t on) {
    if (rank == on || !waits_.ranks.contains(on)) return;
    waits_.ranks[rank].waits_for.insert(on);
    awaited_.insert(on);
  }

  void Draw(const CollectiveStall& stall) {
    if (stall.kind == Kind::kMissing) {
      for (const int64_t on : stall.missing) ++waits_.ranks[on].missing_from;
      for (const int64_t rank : stall.waiting) {
        for (const int64_t on : stall.missing) Wait(rank, on);
      }
    }
    if (stall.kind == Kind::kEntered || stall.kind == Kind::kMismatch) {
      held_.insert(stall.waiting.begin(), stall.waiting.end());
    }
    if (stall.kind == Kind::kMismatch) {
      odd_.insert(stall.odd.begin(), stall.odd.end());
    }
  }

  // Between two ranks, sends and receives match in order.
  void ComparePoints() {
    std::map<std::tuple<size_t, int64_t, int64_t, bool>, const PointToPoint*>
        first;
    for (const PointToPoint& point : record_.points) {
      if (point.completed) continue;
      auto [at, is_new] = first.try_emplace(
          {point.group, point.rank, point.peer, point.send}, &point);
      if (point.seq < at->second->seq) at->second = &point;
    }
    for (const auto& [key, sent] : first) {
      const auto& [group, rank, peer, send] = key;
      const auto other = first.find({group, peer, rank, false});
      if (!send || other == first.end()) continue;
      const int64_t elements = ElementsOf(sent->sizes);
      const int64_t awaited = ElementsOf(other->second->sizes);
      if (elements < 0 || awaited < 0 || elements == awaited) continue;
      CollectiveStall stall;
      stall.kind = Kind::kMismatch;
      stall.group = group;
      stall.seq = sent->seq;
      stall.call.type = "send";
      stall.call.input_sizes = sent->sizes;
      stall.time = sent->time;
      stall.entered = stall.waiting = stall.odd = {rank, peer};
      stall.differs = "size";
      stall.expected = fmt::format("{} elements sent by {}", elements, rank);
      stall.found = fmt::format("{} expected by {}", awaited, peer);
      waits_.stalls.push_back(std::move(stall));
    }
  }

  void DrawPoints() {
    // By group, rank, peer and direction: what is pending, and the last number.
    std::set<std::tuple<size_t, int64_t, int64_t, bool>> pending;
    std::map<std::tuple<size_t, int64_t, int64_t, bool>, int64_t> last;
    for (const PointToPoint& point : record_.points) {
      const std::tuple key(point.group, point.rank, point.peer, point.send);
      if (!point.completed) pending.insert(key);
      auto [at, is_new] = last.try_emplace(key, point.seq);
      at->second = std::max(at->second, point.seq);
    }
    std::set<std::pair<int64_t, int64_t>> counted;
    for (const PointToPoint& point : record_.points) {
      if (point.completed || !waits_.ranks.contains(point.peer)) continue;
      const std::tuple other(point.group, point.peer, point.rank, !point.send);
      if (pending.contains(other)) {
        held_.insert(point.rank);
        continue;
      }
      // In a group of two the numbers agree.
      const auto had = last.find(other);
      const bool pair = record_.groups[point.group].members.size() == 2;
      if (pair && had != last.end() && had->second >= point.seq) continue;
      Wait(point.rank, point.peer);
      if (counted.emplace(point.rank, point.peer).second) {
        ++waits_.ranks[point.peer].missing_from;
      }
    }
  }

  // Dumps that were taken one after the other differ even if nobody waits.
  bool Hangs() const {
    return std::ranges::any_of(waits_.stalls, [](const auto& stall) {
      return stall.kind == Kind::kMissing || stall.timed_out;
    });
  }

  // The culprit is at the end of a chain of waits, or stands where its peers
  // have passed. If there is none, the waits form a ring: it remains when ranks
  // that no other rank waits for are removed repeatedly.
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
      }
    }
    if (!any && !awaited_.empty()) MarkRing();
  }

  void MarkRing() {
    std::map<int64_t, int64_t> waiters;
    for (const auto& [rank, state] : waits_.ranks) {
      for (const int64_t on : state.waits_for) ++waiters[on];
    }
    std::vector<int64_t> nobody;
    for (const auto& [rank, state] : waits_.ranks) {
      if (waiters[rank] == 0) nobody.push_back(rank);
    }
    std::set<int64_t> taken;
    while (!nobody.empty()) {
      const int64_t rank = nobody.back();
      nobody.pop_back();
      taken.insert(rank);
      for (const int64_t on : waits_.ranks[rank].waits_for) {
        if (--waiters[on] == 0) nobody.push_back(on);
      }
    }
    for (auto& [rank, state] : waits_.ranks) {
      if (!taken.contains(rank)) state.role = Role::kDeadlock;
    }
  }

  const CollectiveRecord& record_;
  CollectiveWaits waits_;
  std::map<size_t, std::map<int64_t, CallsOfRanks>> calls_;
  std::set<int64_t> awaited_;
  std::set<int64_t> held_;  // in a collective that all ranks entered
  std::set<int64_t> odd_;
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
