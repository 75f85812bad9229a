// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/rows.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

struct GapRow {
  Gap gap;
  bool only_in_memory = false;

  template <class V>
  void Columns(V& v) {
    v("c.process", gap.process);
    v("sum(coalesce(c.to_time, p.end_time) - c.from_time)", gap.missed_ns);
    v("p.end_time - p.start_time", gap.lived_ns);
    v("c.source = 'cupti-before'", gap.at_beginning);
    v("c.source = 'journal'", only_in_memory);
    v("min(c.note)", gap.note);
  }
};

bool IsAtBeginning(const Gap& gap) {
  return gap.at_beginning;
}

bool IsBetween(const Gap& gap) {
  return !IsAtBeginning(gap) && !IsAtEnd(gap);
}

// About the processes whose beginning, or whose end, is a gap.
std::string Sentence(const std::vector<Gap>& gaps, bool (*is_there)(const Gap&),
                     std::string_view one, std::string_view many) {
  const auto first = std::find_if(gaps.begin(), gaps.end(), is_there);
  if (first == gaps.end()) return {};
  const auto all = std::count_if(gaps.begin(), gaps.end(), is_there);
  if (all == 1) return fmt::format("{} ({})", one, first->note);
  return fmt::format(fmt::runtime(many), all) + " (" + first->note + ")";
}

}  // namespace

Expected<std::vector<Gap>> FindGaps(facts::Store* store) {
  ASSIGN_OR_RETURN(
      auto rows,
      SelectRows<GapRow>(
          &store->db(),
          "FROM coverage AS c JOIN process AS p ON p.process = c.process "
          "WHERE (c.source IN ('cupti', 'cupti-before', 'collector') OR "
          "c.source = 'journal' AND p.clean_end = 0 AND p.state IS NOT "
          "'alive') AND c.state <> 'on' "
          "AND EXISTS (SELECT 1 FROM library AS l WHERE l.process = c.process "
          "AND l.name LIKE 'libcuda.so%') "
          "GROUP BY c.process, 4, 5 ORDER BY 2 DESC, 1"));
  std::vector<Gap> gaps;
  for (GapRow row; rows.Next(&row);) {
    if (row.only_in_memory) row.gap.missed_ns = 0;
    const bool known = row.gap.missed_ns > 0 || row.gap.at_beginning;
    if (known || row.only_in_memory) gaps.push_back(row.gap);
  }
  RETURN_IF_ERROR(rows.statement().status());
  return gaps;
}

std::string BeginningSentence(const std::vector<Gap>& gaps) {
  return Sentence(gaps, IsAtBeginning, "the beginning is not in the trace",
                  "the beginnings of {} processes are not in the traces");
}

std::string EndSentence(const std::vector<Gap>& gaps) {
  return Sentence(gaps, IsAtEnd, "the end may not be in the trace",
                  "the ends of {} processes may not be in the traces");
}

std::string GapSentence(const std::vector<Gap>& gaps) {
  const auto longest = std::find_if(gaps.begin(), gaps.end(), IsBetween);
  if (longest == gaps.end()) return {};
  const auto others = std::count_if(longest + 1, gaps.end(), IsBetween);
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
