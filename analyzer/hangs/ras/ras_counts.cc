// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/ras/ras_counts.h"

#include <algorithm>

namespace inquest::hangs {

void AddCounts(const std::string& operation, std::vector<CountGroup> groups,
               const RasItem& about, RasReports* reports) {
  if (groups.size() < 2) return;
  // Of two groups of equal size, those that launched more are taken as most:
  // who is behind can have stopped, who is ahead went on.
  const auto most = std::ranges::max_element(
      groups, [](const CountGroup& a, const CountGroup& b) {
        return a.ranks != b.ranks ? a.ranks < b.ranks : a.launched < b.launched;
      });
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    if (group == most || group->launched == most->launched) continue;
    if (reports->items.size() >= kMaxRasItems) return;
    RasItem item = about;
    item.kind = group->launched < most->launched ? "behind" : "ahead";
    item.at = group->at;
    item.who = group->named;
    item.ranks = group->ranks;
    item.operation = operation;
    item.launched = group->launched;
    item.by_most = most->launched;
    item.most = most->ranks;
    reports->items.push_back(std::move(item));
  }
}

}  // namespace inquest::hangs
