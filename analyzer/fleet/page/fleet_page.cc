// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/page/fleet_page.h"

#include <nlohmann/json.hpp>

#include "analyzer/fleet/page/embedded.h"
#include "analyzer/fleet/page/trends.h"
#include "analyzer/page/page_text.h"
#include "base/units.h"
#include "fleet_page_queries.h"

namespace inquest::fleet {
namespace {

using nlohmann::json;

// Times as text, because JavaScript's numbers have 53 bits.
json ValueData(const std::string& column, const Field& field) {
  if (const auto* text = std::get_if<std::string>(&field)) return *text;
  if (const auto* real = std::get_if<double>(&field)) return *real;
  const auto* number = std::get_if<int64_t>(&field);
  if (number == nullptr) return nullptr;
  if (column.ends_with("_time")) return FormatTime(*number).substr(0, 16);
  return *number;
}

json SectionData(const Section& section, int64_t most) {
  json rows = json::array();
  const auto& answer = section.answer;
  bool more = false;
  for (const Fields& row : answer.rows) {
    if (static_cast<int64_t>(rows.size()) == most) {
      more = true;
      break;
    }
    json one = json::array();
    for (size_t i = 0; i < row.size(); ++i) {
      one.push_back(ValueData(answer.columns[i], row[i]));
    }
    rows.push_back(std::move(one));
  }
  return {{"id", section.question.id},     {"title", section.question.title},
          {"note", section.question.note}, {"columns", answer.columns},
          {"rows", std::move(rows)},       {"cut", more}};
}

}  // namespace

Question TrendQuestion() {
  return ReadQuestion("trends", std::string(page_queries::trends_sql()));
}

Expected<std::string> FleetPage(const FleetPageInput& input) {
  json sections = json::array();
  for (const Section& one : input.sections) {
    sections.push_back(SectionData(one, input.rows));
  }
  return page::FillPage(embedded::page_html(),
                        {{"tool", {{"version", input.tool_version}}},
                         {"database", input.database},
                         {"days", input.days},
                         {"sections", std::move(sections)},
                         {"trends", TrendData(input.by_day)}});
}

}  // namespace inquest::fleet
