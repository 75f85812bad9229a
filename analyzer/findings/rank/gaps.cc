// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/gaps.h"

#include <fmt/format.h>

#include <set>

#include "base/rows.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

struct GapRow {
  Gap gap;

  template <class V>
  void Columns(V& v) {
    v("c.process", gap.process);
    v("sum(coalesce(c.to_time, p.end_time) - c.from_time)", gap.missed_ns);
    v("p.end_time - p.start_time", gap.lived_ns);
    v("min(c.note)", gap.note);
  }
};

}  // namespace

Expected<std::vector<Gap>> FindGaps(facts::Store* store) {
  ASSIGN_OR_RETURN(
      auto rows,
      SelectRows<GapRow>(
          &store->db(),
          "FROM coverage AS c JOIN process AS p ON p.process = c.process "
          "WHERE c.source IN ('cupti', 'collector') AND c.state <> 'on' "
          "AND EXISTS (SELECT 1 FROM library AS l WHERE l.process = c.process "
          "AND l.name LIKE 'libcuda.so%') "
          "GROUP BY c.process ORDER BY 2 DESC, 1"));
  std::vector<Gap> gaps;
  for (GapRow row; rows.Next(&row);) {
    if (row.gap.missed_ns > 0) gaps.push_back(row.gap);
  }
  RETURN_IF_ERROR(rows.statement().status());
  return gaps;
}

std::string GapSentence(const std::vector<Gap>& gaps) {
  if (gaps.empty()) return {};
  const Gap& longest = gaps.front();
  const std::string others =
      gaps.size() == 1 ? std::string()
                       : fmt::format(", and in {} other process{}",
                                     FormatCount(std::ssize(gaps) - 1),
                                     gaps.size() == 2 ? "" : "es");
  const std::string when = longest.missed_ns >= longest.lived_ns
                               ? "never recorded"
                               : fmt::format("not recorded for {} of {}",
                                             FormatDuration(longest.missed_ns),
                                             FormatDuration(longest.lived_ns));
  return fmt::format(
      "CUDA calls were {}{} ({}): what is said of device memory rests "
      "on the rest",
      when, others, longest.note);
}

}  // namespace inquest::findings
