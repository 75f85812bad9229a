// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/flight_place.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <optional>
#include <set>

#include "base/ranges.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr int64_t kNanosecondsInSecond = 1'000'000'000;
constexpr int64_t kNanosecondsInMilli = 1'000'000;

// The first collective that its ranks are in.
std::string FirstStall(facts::Store* store) {
  auto row = store->db().Prepare(
      "SELECT entered_ranks, coalesce(optype, 'collective'), seqnum, "
      "group_name, description, time, timeout_ms FROM collective_stall WHERE "
      "kind = 'entered' ORDER BY stall LIMIT 1");
  std::string ranks;
  std::string type;
  std::string group;
  int64_t seq = 0;
  std::optional<std::string> description;
  std::optional<int64_t> time;
  std::optional<int64_t> limit_ms;
  if (!row.ok() ||
      !row->Next(&ranks, &type, &seq, &group, &description, &time, &limit_ms)) {
    return {};
  }
  std::string text =
      fmt::format("{} stood in {} {} of group {}",
                  RanksInWords(NumbersIn(ranks)), type, seq, group);
  if (description) text += fmt::format(" ({})", *description);
  if (time) {
    text += fmt::format(" since {:%H:%M:%S}.{:03} UTC",
                        fmt::gmtime(*time / kNanosecondsInSecond),
                        *time % kNanosecondsInSecond / kNanosecondsInMilli);
  }
  if (limit_ms) {
    text += fmt::format(" (time limit {})",
                        FormatDuration(*limit_ms * kNanosecondsInMilli));
  }
  return text;
}

}  // namespace

std::string FlightPlace(facts::Store* store) {
  auto row = store->db().Prepare(
      "SELECT count(*), sum(pending > 0) FROM collective_rank");
  int64_t dumped = 0;
  int64_t busy = 0;
  if (!row.ok() || !row->Next(&dumped, &busy) || dumped == 0) return {};
  const std::string when = "when the dumps were written, ";
  if (busy == 0) {
    return when + "all that the ranks had begun had completed";
  }
  std::string stall = FirstStall(store);
  if (stall.empty()) {
    stall =
        fmt::format("{} of {} ranks had operations under way", busy, dumped);
  }
  return when + stall + "; whether they completed later, dumps do not tell";
}

}  // namespace inquest::findings
