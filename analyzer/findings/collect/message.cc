// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/message.h"

#include <algorithm>
#include <vector>

#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxText = 2000;   // bytes of a whole message
constexpr size_t kMaxFigure = 500;  // bytes of one figure in it
constexpr size_t kMaxNumbers = 4;   // of a list that are written one by one

std::string Format(const Figure& value, std::string_view format);

// Many numbers are told by their range, as a sentence has room for a few.
std::string FormatList(const std::vector<Figure>& values,
                       std::string_view format) {
  const bool numbers =
      std::all_of(values.begin(), values.end(),
                  [](const Figure& one) { return one.IsInteger(); });
  if (numbers && values.size() > kMaxNumbers) {
    const auto [least, most] = std::minmax_element(
        values.begin(), values.end(), [](const Figure& a, const Figure& b) {
          return a.Integer() < b.Integer();
        });
    return Format(*least, format) + " to " + Format(*most, format);
  }
  std::string all;
  for (const Figure& one : values) {
    if (all.size() > kMaxFigure) break;
    all += (all.empty() ? "" : ", ") + Format(one, format);
  }
  return all;
}

std::string Format(const Figure& value, std::string_view format) {
  if (value.IsList()) return FormatList(value.Items(), format);
  if (value.IsNumber()) {
    const auto number = value.Integer();
    if (format == "bytes") return FormatBytes(number);
    if (format == "count") return FormatCount(number);
    if (format == "time") return FormatTime(number);
    if (format == "duration") return FormatDuration(number);
    return JsonText(value);
  }
  if (value.IsText()) {
    return Printable(value.Text(), kMaxFigure);
  }
  return Printable(JsonText(value), kMaxFigure);
}

}  // namespace

std::string FillMessage(std::string_view message, const Figures& figures) {
  std::string text;
  while (!message.empty() && text.size() <= kMaxText) {
    const size_t open = message.find('{');
    const size_t close = message.find('}', open);
    if (open == message.npos || close == message.npos) break;
    text += message.substr(0, open);
    const std::string_view field = message.substr(open + 1, close - open - 1);
    const size_t bar = field.find('|');
    const Figure& figure = figures[field.substr(0, bar)];
    text +=
        figure.IsNull()
            ? "?"
            : Format(figure, bar == field.npos ? "" : field.substr(bar + 1));
    message.remove_prefix(close + 1);
  }
  text.append(message.substr(0, kMaxText));
  return Printable(text, kMaxText);
}

}  // namespace inquest::findings
