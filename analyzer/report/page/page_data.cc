// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/page/page_data.h"

#include "base/units.h"

namespace inquest::report {
namespace {

using nlohmann::json;

// The moment that the page counts from: the first that a recording or a log
// knows. 0 if none tells the time.
Expected<int64_t> BaseTime(facts::Store* store) {
  return store->db().QueryInt(
      "SELECT coalesce((SELECT min(start_time) FROM process WHERE start_time > "
      "0), (SELECT min(start_time) FROM run WHERE start_time > 0), (SELECT "
      "min(first_time) FROM log_source WHERE first_time > 0), 0)");
}

json ValueIn(const Statement& row, int column) {
  if (row.IsNull(column)) return nullptr;
  if (row.IsInteger(column)) return row.Int(column);
  if (row.IsReal(column)) return row.Real(column);
  return std::string(row.Text(column));
}

// A part that cannot be read is missing, and the page says why.
void AddPart(json* page, const char* name, Expected<json> part) {
  if (!part.ok()) {
    (*page)["unread"].push_back(part.status().message());
  } else if (!part->empty()) {
    (*page)[name] = part.Take();
  }
}

}  // namespace

Expected<json> Rows(const PageSource& source, const std::string& sql,
                    size_t most) {
  ASSIGN_OR_RETURN(Statement row, source.store->db().Prepare(sql));
  for (int i = 0; i < row.parameters(); ++i) {
    if (row.ParameterName(i) == "base") row.Bind(i, source.base);
  }
  json columns = json::array();
  for (int i = 0; i < row.columns(); ++i) {
    columns.push_back(std::string(row.ColumnName(i)));
  }
  json rows = json::array();
  int64_t more = 0;
  while (row.Step()) {
    if (rows.size() == most) {
      ++more;
      continue;
    }
    json one = json::array();
    for (int i = 0; i < row.columns(); ++i) one.push_back(ValueIn(row, i));
    rows.push_back(std::move(one));
  }
  RETURN_IF_ERROR(row.status());
  if (rows.empty()) return json::object();
  return json{{"columns", columns}, {"rows", rows}, {"more", more}};
}

Expected<json> PageData(const ReportInput& input, facts::Store* store) {
  PageSource source{&input, store, 0};
  ASSIGN_OR_RETURN(source.base, BaseTime(store));
  json page = {
      {"tool", {{"version", input.tool_version}, {"rules", input.rules}}},
      {"subject", input.subject},
      {"clock",
       {{"base", source.base == 0 ? "" : FormatTime(source.base)},
        {"base_ms", source.base / 1'000'000}}},
      {"verdict", VerdictData(input)},
      {"unread", json::array()}};
  AddPart(&page, "timeline", TimelineData(source));
  AddPart(&page, "heaps", HeapData(source));
  AddPart(&page, "sites", SiteData(source));
  AddPart(&page, "leaks", LeakData(source));
  AddPart(&page, "ranks", RankData(source));
  AddPart(&page, "stacks", StackData(source));
  AddPart(&page, "logs", LogData(source));
  AddPart(&page, "tables", TableData(source));
  return page;
}

}  // namespace inquest::report
