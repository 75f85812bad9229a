// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/message_fields.h"

namespace inquest::rules {
namespace {

std::string_view WordAt(std::string_view text, size_t from) {
  constexpr std::string_view kOfWord = "abcdefghijklmnopqrstuvwxyz0123456789_";
  const size_t end = text.find_first_not_of(kOfWord, from);
  return text.substr(from, end == text.npos ? end : end - from);
}

// The field whose opening brace is at `begin`.
std::optional<Field> FieldAt(std::string_view text, size_t begin) {
  Field field{begin, 0, WordAt(text, begin + 1), {}};
  size_t at = begin + 1 + field.name.size();
  if (at < text.size() && text[at] == '|') {
    field.format = WordAt(text, at + 1);
    at += 1 + field.format.size();
  }
  const bool shell = begin > 0 && text[begin - 1] == '$';
  const bool closed = at < text.size() && text[at] == '}';
  if (field.name.empty() || !closed || shell) return {};
  field.end = at + 1;
  return field;
}

}  // namespace

std::optional<Field> NextField(std::string_view text, size_t from) {
  for (size_t open = text.find('{', from); open != text.npos;
       open = text.find('{', open + 1)) {
    if (auto field = FieldAt(text, open)) return field;
  }
  return {};
}

std::optional<Part> NextPart(std::string_view text, size_t from) {
  for (size_t open = text.find('[', from); open != text.npos;) {
    const size_t close = text.find(']', open);
    if (close == text.npos) break;
    const Part part{open, close + 1, text.substr(open + 1, close - open - 1)};
    if (NextField(part.inside, 0)) return part;
    open = text.find('[', part.end);
  }
  return {};
}

std::vector<std::string> FieldsOf(std::string_view text) {
  std::vector<std::string> names;
  for (auto field = NextField(text, 0); field;
       field = NextField(text, field->end)) {
    names.emplace_back(field->name);
  }
  return names;
}

}  // namespace inquest::rules
