// SPDX-License-Identifier: Apache-2.0
// What each leak suspect kept from step to step, and the line of its growth.
// The slope is the analysis's own; only where the line begins is computed here.
#include <algorithm>
#include <vector>

#include "analyzer/report/page/page_data.h"
#include "base/rows.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr int kLeaksDrawn = 8;

struct LeakOfPage {
  int64_t process = 0, device = 0, site = 0, bytes_per_step = 0;
  int64_t first_step = 0, last_step = 0, growth_bytes = 0;
  double share = 0, significance = 0;
  std::optional<int64_t> full_step;
  template <class V>
  void Columns(V& v) {
    v("process", process);
    v("device", device);
    v("site", site);
    v("bytes_per_step", bytes_per_step);
    v("first_step", first_step);
    v("last_step", last_step);
    v("growth_bytes", growth_bytes);
    v("share", share);
    v("significance", significance);
    v("full_step", full_step);
  }
};

struct StepBytes {
  int64_t step = 0;
  int64_t bytes = 0;
};

Expected<std::vector<StepBytes>> ReadSteps(const PageSource& source,
                                           const LeakOfPage& leak) {
  ASSIGN_OR_RETURN(Statement row,
                   source.store->db().Prepare(
                       "SELECT step, bytes FROM leak_step WHERE process = ? "
                       "AND site = ? ORDER BY step"));
  row.BindAll(leak.process, leak.site);
  std::vector<StepBytes> steps;
  for (StepBytes one; row.Next(&one.step, &one.bytes);) steps.push_back(one);
  RETURN_IF_ERROR(row.status());
  return steps;
}

// Bytes of the line at the first step: the median of what the steps say, as
// fits a slope that is a median.
double BytesAtFirst(const std::vector<StepBytes>& steps,
                    const LeakOfPage& leak) {
  std::vector<double> starts;  // products of untrusted numbers
  for (const StepBytes& one : steps) {
    if (one.step < leak.first_step || one.step > leak.last_step) continue;
    starts.push_back(static_cast<double>(one.bytes) -
                     static_cast<double>(one.step - leak.first_step) *
                         static_cast<double>(leak.bytes_per_step));
  }
  if (starts.empty()) return 0;
  const auto middle = starts.begin() + static_cast<long>(starts.size() / 2);
  std::nth_element(starts.begin(), middle, starts.end());
  return *middle;
}

}  // namespace

Expected<json> LeakData(const PageSource& source) {
  ASSIGN_OR_RETURN(
      auto rows,
      SelectRows<LeakOfPage>(&source.store->db(),
                             "FROM leak_suspect ORDER BY growth_bytes DESC "
                             "LIMIT " +
                                 std::to_string(kLeaksDrawn)));
  json leaks = json::array();
  for (LeakOfPage leak; rows.Next(&leak);) {
    ASSIGN_OR_RETURN(const auto steps, ReadSteps(source, leak));
    json points = json::array();
    for (const StepBytes& one : steps) points.push_back({one.step, one.bytes});
    json data = {{"process", leak.process},
                 {"device", leak.device},
                 {"site", leak.site},
                 {"bytes_per_step", leak.bytes_per_step},
                 {"first_step", leak.first_step},
                 {"last_step", leak.last_step},
                 {"first_bytes", BytesAtFirst(steps, leak)},
                 {"growth_bytes", leak.growth_bytes},
                 {"share", leak.share},
                 {"significance", leak.significance},
                 {"points", points}};
    if (leak.full_step) data["full_step"] = *leak.full_step;
    leaks.push_back(std::move(data));
  }
  RETURN_IF_ERROR(rows.statement().status());
  return leaks;
}

}  // namespace inquest::report
