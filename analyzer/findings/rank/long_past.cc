// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/long_past.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace inquest::findings {
namespace {

constexpr int64_t kMinute = 60'000'000'000;

bool StrikesAtOnce(const Finding& finding) {
  constexpr std::string_view kEvents[] = {
      "memory/", "kernel/",  "cudnn/",       "cublas/",
      "data/",   "process/", "distributed/", "host/node-lost"};
  return StartsWithAny(finding.cause, kEvents);
}

bool MayHaveWaited(const Finding& finding) {
  constexpr std::string_view kWaits[] = {"distributed/", "process/killed",
                                         "process/preempted", "unknown"};
  return finding.by_code || StartsWithAny(finding.cause, kWaits);
}

bool ShareALog(const Finding& a, const Finding& b) {
  if (a.lines.size() > b.lines.size()) return ShareALog(b, a);
  return std::ranges::any_of(
      a.lines, [&](const auto& one) { return b.lines.contains(one.first); });
}

// Two writers of one log may stamp it in two zones, which differ by whole half
// hours; what seems hours may be seconds then.
bool MayBeZones(int64_t apart) {
  constexpr int64_t kHalfHour = 30 * kMinute;
  const int64_t over = apart % kHalfHour;
  return apart <= 28 * kHalfHour &&
         (over < kMinute || over > kHalfHour - kMinute);
}

}  // namespace

bool IsLongPast(const Finding& event, const Finding& later) {
  if (!event.last_time || !later.first_time) return false;
  const int64_t apart = *later.first_time - *event.last_time -
                        event.time_error - later.time_error;
  return apart > kAtOnce && !MayBeZones(apart) && StrikesAtOnce(event) &&
         !MayHaveWaited(later) && ShareALog(event, later);
}

}  // namespace inquest::findings
