#include "analyzer/findings/collect/message.h"

#include "base/json_text.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

using nlohmann::json;

constexpr size_t kMostText = 2000;   // bytes of a whole message
constexpr size_t kMostFigure = 500;  // bytes of one figure in it

std::string Format(const json& value, std::string_view format) {
  if (value.is_array()) {
    std::string all;
    for (const json& one : value) {
      if (all.size() > kMostFigure) break;
      all += (all.empty() ? "" : ", ") + Format(one, format);
    }
    return all;
  }
  if (value.is_number()) {
    const auto number = value.get<int64_t>();
    if (format == "bytes") return FormatBytes(number);
    if (format == "count") return FormatCount(number);
    if (format == "time") return FormatTime(number);
    if (format == "duration") return FormatDuration(number);
    return JsonText(value);
  }
  if (value.is_string()) {
    return Printable(value.get_ref<const std::string&>(), kMostFigure);
  }
  return Printable(JsonText(value), kMostFigure);
}

}  // namespace

std::string FillMessage(std::string_view message, const json& figures) {
  std::string text;
  while (!message.empty() && text.size() <= kMostText) {
    const size_t open = message.find('{');
    const size_t close = message.find('}', open);
    if (open == message.npos || close == message.npos) break;
    text += message.substr(0, open);
    const std::string_view field = message.substr(open + 1, close - open - 1);
    const size_t bar = field.find('|');
    const auto found = figures.find(std::string(field.substr(0, bar)));
    const bool known = found != figures.end() && !found->is_null();
    text += known
                ? Format(*found, bar == field.npos ? "" : field.substr(bar + 1))
                : "?";
    message.remove_prefix(close + 1);
  }
  text.append(message.substr(0, kMostText));
  return Printable(text, kMostText);
}

}  // namespace inquest::findings
