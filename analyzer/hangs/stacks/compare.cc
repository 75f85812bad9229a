// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/stacks/compare.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/hangs/stacks/places.h"

namespace inquest::hangs {
namespace {

bool WaitsForOthers(Place place) {
  return place == Place::kCollective || place == Place::kPeer ||
         place == Place::kEngine;
}

// Waits, maybe behind a collective on the device.
bool WaitsOnDevice(Place place) {
  return place == Place::kDevice || place == Place::kLaunch ||
         place == Place::kBackward;
}

bool SaysNothing(Place place) {
  return place == Place::kNone || place == Place::kIdle ||
         place == Place::kDumper || place == Place::kBackground;
}

using Key = std::tuple<size_t, std::string, int64_t, int64_t>;

// Dumps of one process, by its pid if that is known.
Key KeyOf(const StackProcess& process, size_t index) {
  const auto unknown = -1 - static_cast<int64_t>(index);
  if (process.pid)
    return {0, process.label, process.rank.value_or(-1), *process.pid};
  if (process.rank) return {process.source + 1, "", *process.rank, -1};
  return {process.source + 1, process.label, -1, unknown};
}

class Comparer {
 public:
  explicit Comparer(const StackDumps& dumps) : dumps_(dumps) {}

  StackComparison Run() {
    Judge();
    DropStrayWords();
    JoinRepetitions();
    Group();
    Decide();
    return std::move(result_);
  }

 private:
  const Sites& sites() const { return dumps_.sites; }

  void Judge() {
    for (const StackProcess& process : dumps_.processes) {
      result_.states.push_back(StateOf(process, sites()));
      result_.counted.push_back(!process.threads.empty());
    }
  }

  // Indented words are top frames only where one of them is a collective.
  void DropStrayWords() {
    std::set<size_t> digests;
    ForEach([&](size_t i) {
      if (dumps_.processes[i].tool == Tool::kDigest &&
          WaitsForOthers(result_.states[i].place)) {
        digests.insert(dumps_.processes[i].source);
      }
    });
    ForEach([&](size_t i) {
      const StackProcess& process = dumps_.processes[i];
      if (process.tool != Tool::kDigest) return;
      if (!digests.contains(process.source)) result_.counted[i] = false;
    });
  }

  void JoinRepetitions() {
    std::map<Key, size_t> known;
    ForEach([&](size_t i) {
      const auto [at, added] =
          known.try_emplace(KeyOf(dumps_.processes[i], i), i);
      if (added) return;
      const ProcessState& before = result_.states[at->second];
      const ProcessState& now = result_.states[i];
      if (before.site == now.site && before.caller == now.caller) {
        repeated_.insert(i);
      }
      result_.counted[at->second] = false;
      at->second = i;
    });
  }

  // Processes that stand at the same line, having come there the same way.
  void Group() {
    std::map<std::tuple<Place, uint32_t, uint32_t>, StackGroup> groups;
    ForEach([&](size_t i) {
      const ProcessState& state = result_.states[i];
      StackGroup& group = groups[{state.place, state.site.value_or(UINT32_MAX),
                                  state.caller.value_or(UINT32_MAX)}];
      if (group.members.empty()) group.state = state;
      group.members.push_back(i);
    });
    for (auto& [key, group] : groups) groups_.push_back(std::move(group));
    std::ranges::stable_sort(groups_, [](const auto& a, const auto& b) {
      return a.members.size() > b.members.size();
    });
  }

  void Decide();
  void DecideOne();
  void DecideMany();
  bool Elsewhere(bool on_device);
  bool SetsUpAndEnds();
  void Lockstep();

  template <class Use>
  void ForEach(Use use) const {
    for (size_t i = 0; i < dumps_.processes.size(); ++i) {
      if (result_.counted[i]) use(i);
    }
  }

  size_t Count(bool (*fits)(Place)) const {
    size_t count = 0;
    for (const StackGroup& group : groups_) {
      count += fits(group.state.place) ? group.members.size() : 0;
    }
    return count;
  }

  void Add(HangKind kind, const StackGroup& who,
           std::vector<StackGroup> others = {}) {
    StackHang hang{kind, who, std::move(others)};
    for (const size_t i : who.members) {
      hang.repeated = hang.repeated || repeated_.contains(i);
      hang.went_on = hang.went_on || dumps_.processes[i].went_on;
    }
    result_.hangs.push_back(std::move(hang));
  }

  const StackDumps& dumps_;
  StackComparison result_;
  std::set<size_t> repeated_;
  std::vector<StackGroup> groups_;
};

void Comparer::Decide() {
  for (const StackGroup& group : groups_) {
    const StackProcess& first = dumps_.processes[group.members.front()];
    const bool crashed = !first.fatal.empty();
    const bool current = std::ranges::any_of(
        first.threads,
        [](const StackThread& thread) { return thread.current; });
    if (group.state.place == Place::kAbort) Add(HangKind::kAborted, group);
    if (crashed && first.fatal.starts_with("Aborted") && !current &&
        group.state.has_torch) {
      Add(HangKind::kNativeAbort, group);
    }
  }
  // A crash shows where it happened, not a hang.
  std::erase_if(groups_, [&](const StackGroup& group) {
    return group.state.place == Place::kAbort ||
           !dumps_.processes[group.members.front()].fatal.empty();
  });
  if (groups_.empty()) return;
  size_t working = 0;
  for (const StackGroup& group : groups_) {
    working += SaysNothing(group.state.place) ? 0 : group.members.size();
  }
  working > 1 ? DecideMany() : DecideOne();
}

void Comparer::DecideOne() {
  const auto found = std::ranges::find_if(groups_, [](const StackGroup& group) {
    return !SaysNothing(group.state.place);
  });
  if (found == groups_.end()) {
    const StackGroup& group = groups_.front();
    const bool nccl =
        group.state.has_nccl &&
        dumps_.processes[group.members.front()].tool == Tool::kGdb;
    const bool late = dumps_.processes[group.members.front()].timed_out;
    Add(nccl   ? HangKind::kHidden
        : late ? HangKind::kTimedOut
               : HangKind::kIdle,
        group);
    return;
  }
  const StackProcess& process = dumps_.processes[found->members.front()];
  switch (found->state.place) {
    case Place::kCollective:
      return Add(HangKind::kWaiting, *found);
    case Place::kPeer:
      return Add(HangKind::kPeer, *found);
    case Place::kEngine:
      return Add(HangKind::kEngine, *found);
    case Place::kNetwork:
      return Add(HangKind::kNetwork, *found);
    case Place::kUser:
    case Place::kLaunch:
    case Place::kBackward:
    case Place::kSleep: {
      const bool stands =
          process.timed_out || repeated_.contains(found->members.front());
      return Add(stands ? HangKind::kTimedOut : HangKind::kIdle, *found);
    }
    default:
      return Add(HangKind::kStanding, *found);
  }
}

// True if some stand elsewhere while others wait.
bool Comparer::Elsewhere(bool on_device) {
  std::vector<StackGroup> others, culprits;
  size_t waiting = 0, away = 0;
  for (const StackGroup& group : groups_) {
    const Place place = group.state.place;
    if (SaysNothing(place)) continue;
    const bool waits = WaitsForOthers(place) ||
                       (WaitsOnDevice(place) && !on_device) ||
                       place == Place::kNetwork;
    (waits ? others : culprits).push_back(group);
    (waits ? waiting : away) += group.members.size();
  }
  // Where most are in their own code, the picture is of an ordinary moment.
  std::erase_if(culprits, [&](const StackGroup& group) {
    const bool vague =
        group.state.place == Place::kUser || WaitsOnDevice(group.state.place);
    return vague && away > waiting;
  });
  if (culprits.empty() || waiting == 0) return false;
  constexpr Place kFirst[] = {Place::kLoader, Place::kStorage, Place::kLock};
  std::ranges::stable_sort(culprits, [&](const auto& a, const auto& b) {
    const auto order = [&](const StackGroup& group) {
      return std::ranges::find(kFirst, group.state.place) - std::begin(kFirst);
    };
    return order(a) < order(b);
  });
  for (const StackGroup& group : culprits) {
    Add(HangKind::kOutlier, group, others);
  }
  return true;
}

void Comparer::DecideMany() {
  if (Count(WaitsForOthers) > 0 && (Elsewhere(false) || Elsewhere(true))) {
    return;
  }
  if (Count(WaitsForOthers) == 0) {
    if (!SetsUpAndEnds()) Lockstep();
    return;
  }
  std::vector<StackGroup> waiting;
  size_t collectives = 0;
  for (const StackGroup& group : groups_) {
    if (!WaitsForOthers(group.state.place)) continue;
    waiting.push_back(group);
    collectives += group.state.place == Place::kCollective ? 1 : 0;
  }
  const StackGroup first = waiting.front();
  const std::vector<StackGroup> rest(waiting.begin() + 1, waiting.end());
  if (rest.empty()) {
    const bool collective = first.state.place == Place::kCollective;
    const bool many = first.members.size() > 1;
    const HangKind peer =
        first.state.place == Place::kPeer ? HangKind::kPeer : HangKind::kEngine;
    return Add(!collective ? peer
               : many      ? HangKind::kAlike
                           : HangKind::kWaiting,
               first);
  }
  // With messages between two ranks, stages of a pipeline stand apart anyway.
  Add(collectives == waiting.size() ? HangKind::kApart : HangKind::kPeer, first,
      rest);
}

// Some make a communicator, which needs all ranks, while others end one.
bool Comparer::SetsUpAndEnds() {
  const auto at = [&](Place place) {
    return std::ranges::find_if(groups_, [&](const StackGroup& group) {
      return group.state.place == place;
    });
  };
  const auto begins = at(Place::kSetup), ends = at(Place::kTeardown);
  if (begins == groups_.end() || ends == groups_.end()) return false;
  Add(HangKind::kApart, *begins, {*ends});
  return true;
}

// Nobody waits for others: of processes that run the same program, those that
// stand at another line than most.
void Comparer::Lockstep() {
  std::vector<StackGroup> working;
  for (const StackGroup& group : groups_) {
    if (!SaysNothing(group.state.place)) working.push_back(group);
  }
  const bool pair = working.size() == 2;
  const bool same_code = pair && working[0].state.site &&
                         working[1].state.site &&
                         sites()[*working[0].state.site].file ==
                             sites()[*working[1].state.site].file;
  if (working.size() == 1) {
    const Place place = working[0].state.place;
    const bool vague = place == Place::kUser || place == Place::kSleep;
    const bool late = dumps_.processes[working[0].members.front()].timed_out;
    if (!vague || late) {
      Add(late ? HangKind::kTimedOut : HangKind::kStanding, working[0]);
    }
    return;
  }
  if (!pair || !same_code) return;
  // Of two alike in number, the one at the earlier line is behind.
  const auto line = [&](const StackGroup& group) {
    return sites()[*group.state.site].line;
  };
  const bool even = working[0].members.size() == working[1].members.size();
  const size_t odd = even && line(working[0]) < line(working[1]) ? 0 : 1;
  Add(HangKind::kLockstep, working[odd], {working[1 - odd]});
}

}  // namespace

StackComparison Compare(const StackDumps& dumps) {
  return Comparer(dumps).Run();
}

const char* NameOf(HangKind kind) {
  constexpr const char* kNames[] = {
      "outlier", "alike",    "apart",        "waiting",   "peer",
      "engine",  "lockstep", "standing",     "timed-out", "network",
      "hidden",  "aborted",  "native-abort", "idle"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace inquest::hangs
