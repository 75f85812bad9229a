// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/message.h"

#include <algorithm>
#include <set>
#include <vector>

#include "analyzer/rules/model/message_fields.h"
#include "base/ranges.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxText = 2000;   // bytes of a whole message
constexpr size_t kMaxFigure = 500;  // bytes of one figure in it
constexpr size_t kMaxListed = 4;    // of a list that are written one by one

// Nanoseconds in one unit of a figure with this name: times of logs are in
// milliseconds or seconds, those of traces in nanoseconds.
int64_t NanosecondsOf(std::string_view name) {
  if (name.ends_with("_ms")) return 1'000'000;
  if (name.ends_with("_s") || name == "seconds") return 1'000'000'000;
  return 1;
}

std::string Format(const Figure& value, const rules::Field& field);

std::set<int64_t> Integers(const std::vector<Figure>& values) {
  std::set<int64_t> numbers;
  for (const Figure& one : values) numbers.insert(one.Integer());
  return numbers;
}

// Sizes and times.
std::string FromTo(const std::set<int64_t>& numbers,
                   const rules::Field& field) {
  return Format(*numbers.begin(), field) + " to " +
         Format(*numbers.rbegin(), field);
}

// A sentence has room for a few.
std::string FormatList(const std::vector<Figure>& values,
                       const rules::Field& field) {
  const bool numbers =
      std::all_of(values.begin(), values.end(),
                  [](const Figure& one) { return one.IsInteger(); });
  if (numbers && values.size() > kMaxListed) {
    const std::set<int64_t> all = Integers(values);
    return field.format.empty() ? FormatRanges(all) : FromTo(all, field);
  }
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i == kMaxListed || text.size() > kMaxFigure) {
      return text + " and " + std::to_string(values.size() - i) + " more";
    }
    text += (text.empty() ? "" : ", ") + Format(values[i], field);
  }
  return text;
}

// A number, a list of them, or the text "9, 14".
std::string FormatRanks(const Figure& value) {
  const std::string text = value.IsText() ? value.Text() : JsonText(value);
  const std::set<int64_t> ranks = NumbersIn(text);
  return ranks.empty() ? Printable(text, kMaxFigure) : RanksInWords(ranks);
}

std::string Format(const Figure& value, const rules::Field& field) {
  const std::string_view format = field.format;
  if (format == "ranks") return FormatRanks(value);
  if (value.IsList()) return FormatList(value.Items(), field);
  if (value.IsNumber()) {
    const auto number = value.Integer();
    if (format == "bytes") return FormatBytes(number);
    if (format == "count") return FormatCount(number);
    if (format == "time") return FormatTime(number);
    if (format == "duration") {
      return FormatDuration(number * NanosecondsOf(field.name));
    }
    return JsonText(value);
  }
  if (value.IsText()) {
    return Printable(value.Text(), kMaxFigure);
  }
  return Printable(JsonText(value), kMaxFigure);
}

bool LacksFigure(std::string_view text, const Figures& figures) {
  const auto names = rules::FieldsOf(text);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return figures[name].IsNull();
  });
}

// Drops each part with a field that has no figure, and the brackets of the
// others.
std::string ChooseParts(std::string_view text, const Figures& figures) {
  std::string out;
  size_t at = 0;
  for (auto part = rules::NextPart(text, 0); part;
       part = rules::NextPart(text, at)) {
    out += text.substr(at, part->begin - at);
    if (!LacksFigure(part->inside, figures)) out += part->inside;
    at = part->end;
  }
  return out + std::string(text.substr(at));
}

}  // namespace

std::string FillMessage(std::string_view message, const Figures& figures) {
  const std::string chosen = ChooseParts(message, figures);
  std::string text;
  size_t at = 0;
  for (auto field = rules::NextField(chosen, 0);
       field && text.size() <= kMaxText; field = rules::NextField(chosen, at)) {
    const Figure& figure = figures[field->name];
    text += chosen.substr(at, field->begin - at);
    text += figure.IsNull() ? "?" : Format(figure, *field);
    at = field->end;
  }
  return Printable(text + chosen.substr(at, kMaxText), kMaxText);
}

}  // namespace inquest::findings
