// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

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
    v("c.source = 'cupti-before'", gap.at_beginning);
    v("min(c.note)", gap.note);
  }
};

bool IsAtBeginning(const Gap& gap) {
  return gap.at_beginning;
}

}  // namespace

Expected<std::vector<Gap>> FindGaps(facts::Store* store) {
  ASSIGN_OR_RETURN(
      auto rows,
      SelectRows<GapRow>(
          &store->db(),
          "FROM coverage AS c JOIN process AS p ON p.process = c.process "
          "WHERE c.source IN ('cupti', 'cupti-before', 'collector') AND "
          "c.state <> 'on' "
          "AND EXISTS (SELECT 1 FROM library AS l WHERE l.process = c.process "
          "AND l.name LIKE 'libcuda.so%') "
          "GROUP BY c.process, 4 ORDER BY 2 DESC, 1"));
  std::vector<Gap> gaps;
  for (GapRow row; rows.Next(&row);) {
    if (row.gap.missed_ns > 0 || row.gap.at_beginning) gaps.push_back(row.gap);
  }
  RETURN_IF_ERROR(rows.statement().status());
  return gaps;
}

std::string BeginningSentence(const std::vector<Gap>& gaps) {
  const auto first = std::find_if(gaps.begin(), gaps.end(), IsAtBeginning);
  if (first == gaps.end()) return {};
  const auto all = std::count_if(gaps.begin(), gaps.end(), IsAtBeginning);
  if (all == 1) {
    return fmt::format("the beginning is not in the trace ({})", first->note);
  }
  return fmt::format(
      "the beginnings of {} processes are not in the traces ({})", all,
      first->note);
}

std::string GapSentence(const std::vector<Gap>& gaps) {
  const auto longest =
      std::find_if_not(gaps.begin(), gaps.end(), IsAtBeginning);
  if (longest == gaps.end()) return {};
  const auto others =
      std::count_if(longest + 1, gaps.end(), std::not_fn(IsAtBeginning));
  const std::string elsewhere =
      others == 0 ? std::string()
                  : fmt::format(", and in {} other process{}",
                                FormatCount(others), others == 1 ? "" : "es");
  const std::string when = longest->missed_ns >= longest->lived_ns
                               ? "never recorded"
                               : fmt::format("not recorded for {} of {}",
                                             FormatDuration(longest->missed_ns),
                                             FormatDuration(longest->lived_ns));
  return fmt::format(
      "CUDA calls were {}{} ({}): what is said of device memory rests on the "
      "rest",
      when, elsewhere, longest->note);
}

}  // namespace inquest::findings
