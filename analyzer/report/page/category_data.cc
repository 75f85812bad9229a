// SPDX-License-Identifier: Apache-2.0
// What memory was for over time, by device, as the replay noted it.
#include "analyzer/memory/timeline/category_line.h"
#include "analyzer/report/page/page_data.h"
#include "base/capped.h"

namespace inquest::report {

using nlohmann::json;

// Differences to the moment before: small numbers are short in JSON, and what
// lasts is mostly 0.
json CategoryData(memory::CategoryLine line, size_t most, int64_t base) {
  if (!line.unknown.empty()) return {{"unknown", line.unknown}};
  line.Reduce(most);
  json all = json::array();
  int64_t time = base;
  std::vector<int64_t> before(line.names.size());
  for (const memory::CategoryMoment& one : line.moments) {
    json row = {SubtractCapped(one.begin, time),
                SubtractCapped(one.end, one.begin)};
    for (size_t i = 0; i < before.size(); ++i) {
      row.push_back(SubtractCapped(one.high[i], before[i]));
      row.push_back(SubtractCapped(one.last[i], one.high[i]));
    }
    all.push_back(std::move(row));
    time = one.end;
    before = one.last;
  }
  return {{"pool", line.of_pool}, {"names", line.names}, {"moments", all}};
}

}  // namespace inquest::report
