// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/collective_ring.h"

#include <algorithm>
#include <vector>

namespace inquest::facts {

std::set<int64_t> FindRing(const std::map<int64_t, RankState>& ranks,
                           const std::map<int64_t, std::set<int64_t>>& absent) {
  std::map<int64_t, int64_t> waiters;
  for (const auto& [rank, state] : ranks) {
    for (const int64_t on : state.waits_for) ++waiters[on];
  }
  std::vector<int64_t> nobody;
  std::set<int64_t> ring;
  for (const auto& [rank, state] : ranks) {
    if (waiters[rank] == 0) nobody.push_back(rank);
    ring.insert(rank);
  }
  while (!nobody.empty()) {
    const auto rank = ranks.find(nobody.back());
    nobody.pop_back();
    if (rank == ranks.end()) continue;
    ring.erase(rank->first);
    for (const int64_t on : rank->second.waits_for) {
      if (--waiters[on] == 0) nobody.push_back(on);
    }
  }
  const bool open = std::ranges::any_of(absent, [&](const auto& one) {
    return std::ranges::any_of(
        one.second, [&](int64_t waiter) { return ring.contains(waiter); });
  });
  return open ? std::set<int64_t>() : ring;
}

}  // namespace inquest::facts
