// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/collective_behind.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace inquest::facts {
namespace {

// Parts of names: PyTorch has _all_gather_base, reduce_scatter_tensor_coalesced
// and more.
constexpr std::array<std::string_view, 7> kNeedsAll = {
    "all_reduce", "allreduce", "all_gather", "allgather",
    "all_to_all", "alltoall",  "barrier"};

bool NeedsAll(std::string_view type) {
  return type.find("reduce_scatter") != type.npos ||
         ContainsAny(type, kNeedsAll);
}

using Place = std::pair<size_t, int64_t>;  // group, number in it

class Peers {
 public:
  explicit Peers(const CollectiveRecord& record) : record_(record) {
    for (const CollectiveCall& call : record.calls) {
      if (call.completed) completed_[{call.group, call.seq}].insert(call.rank);
    }
  }

  // A group's status counts its point-to-point operations, too.
  bool HaveCompleted(const CollectiveCall& call) const {
    const auto known = completed_.find({call.group, call.seq});
    if (known != completed_.end() &&
        known->second.size() > known->second.count(call.rank)) {
      return true;
    }
    if (record_.groups_with_points.contains(call.group)) return false;
    const auto& last = record_.groups[call.group].last_completed;
    return std::ranges::any_of(last, [&](const auto& one) {
      return one.first != call.rank && one.second >= call.seq;
    });
  }

 private:
  const CollectiveRecord& record_;
  std::map<Place, std::set<int64_t>> completed_;
};

}  // namespace

std::map<int64_t, LeftBehind> FindLeftBehind(const CollectiveRecord& record) {
  const Peers peers(record);
  std::map<int64_t, LeftBehind> behind;
  for (const CollectiveCall& call : record.calls) {
    if (call.completed || !NeedsAll(call.type)) continue;
    if (!peers.HaveCompleted(call)) continue;
    LeftBehind& one = behind[call.rank];
    const int64_t time = call.time.value_or(INT64_MAX);
    if (one.calls++ > 0 && time >= one.time) continue;
    one.time = time;
    one.group = call.group;
    one.seq = call.seq;
    one.type = call.type;
  }
  return behind;
}

}  // namespace inquest::facts
