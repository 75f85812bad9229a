// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_text.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/units.h"

namespace inquest::page {
namespace {

using nlohmann::json;

constexpr size_t kLongestText = 4000;
constexpr std::string_view kPlace = "@DATA@";

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

Expected<std::string> FillPage(std::string_view frame, json data) {
  MakePrintable(&data);
  const size_t place = frame.find(kPlace);
  if (place == frame.npos) {
    return Internal("the page has no place for its data");
  }
  std::string text(frame.substr(0, place));
  text += InScript(JsonText(data));
  return text.append(frame.substr(place + kPlace.size()));
}

}  // namespace inquest::page
