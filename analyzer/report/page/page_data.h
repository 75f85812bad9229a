// SPDX-License-Identifier: Apache-2.0
// What the page shows, as JSON for web/*.js: each part reads the facts that it
// needs, and is left out where there are none. Not a contract: page and data
// are written together. Internal to page/.
//
// Times are nanoseconds after `clock.base`, because JavaScript's numbers have
// 53 bits; addresses are texts or differences. Lists are cut, and say by how
// many rows.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/timeline/category_line.h"
#include "analyzer/report/report.h"
#include "base/status.h"

namespace inquest::report {

Expected<nlohmann::json> PageData(const ReportInput& input,
                                  facts::Store* store);

// The parts. `base` is subtracted from times.
struct PageSource {
  const ReportInput* input = nullptr;
  facts::Store* store = nullptr;
  int64_t base = 0;
};

nlohmann::json VerdictData(const ReportInput& input);
Expected<nlohmann::json> TimelineData(const PageSource& source);
nlohmann::json CategoryData(memory::CategoryLine line, size_t most,
                            int64_t base);
Expected<nlohmann::json> HeapData(const PageSource& source);
Expected<nlohmann::json> SiteData(const PageSource& source);
Expected<nlohmann::json> LeakData(const PageSource& source);
Expected<nlohmann::json> RankData(const PageSource& source);
Expected<nlohmann::json> StackData(const PageSource& source);
Expected<nlohmann::json> LogData(const PageSource& source);
Expected<nlohmann::json> TableData(const PageSource& source);
Expected<nlohmann::json> FitData(const PageSource& source);

// {"columns": […], "rows": [[…], …], "more": rows that were left out}. Names of
// columns tell the page how to show them: they end in _bytes, _ns or _at (a
// time, from which `base` was subtracted by the SQL's parameter :base).
Expected<nlohmann::json> Rows(const PageSource& source, const std::string& sql,
                              size_t most);

}  // namespace inquest::report
