// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/page/page.h"

#include <nlohmann/json.hpp>

#include "analyzer/report/page/embedded.h"
#include "analyzer/report/page/page_data.h"
#include "analyzer/report/redact/redact_report.h"
#include "base/json_text.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kLongestText = 4000;
constexpr std::string_view kPlace = "@DATA@";

// What would move a cursor or turn the direction of a text is shown instead.
void MakePrintable(json* value) {
  if (value->is_string()) {
    *value = Printable(value->get_ref<const std::string&>(), kLongestText);
  } else if (value->is_structured()) {
    for (json& inner : *value) MakePrintable(&inner);
  }
}

// Without "<" neither "</script" nor "<!--" can end or change the element that
// holds it. In JSON it occurs in strings only, where the escape means the same.
std::string InScript(const std::string& json_text) {
  std::string text;
  text.reserve(json_text.size());
  for (const char c : json_text) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

Expected<std::string> HtmlPage(const ReportInput& input, facts::Store* store,
                               Redactor* redactor) {
  ASSIGN_OR_RETURN(json data, PageData(input, store));
  if (redactor != nullptr) {
    LearnJson(data, redactor);
    RedactJson(&data, redactor);
  }
  MakePrintable(&data);
  const std::string_view page = embedded::page_html();
  const size_t place = page.find(kPlace);
  if (place == page.npos) return Internal("the page has no place for its data");
  std::string text(page.substr(0, place));
  text += InScript(JsonText(data));
  return text.append(page.substr(place + kPlace.size()));
}

}  // namespace inquest::report
