// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/signature_figures.h"

#include <charconv>
#include <string>

#include "base/text.h"
#include "base/units.h"

namespace inquest::rules {
namespace {

constexpr size_t kMaxListValues = 1000;

template <typename T>
std::optional<Figure> From(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return Figure(*value);
}

std::optional<Figure> Integer(std::string_view text, int base) {
  std::string digits;  // without the commas of thousands
  for (const char c : text) {
    if (c != ',') digits += c;
  }
  if (digits.starts_with('+')) digits.erase(0, 1);
  if (base == 16 && (digits.starts_with("0x") || digits.starts_with("0X"))) {
    digits.erase(0, 2);
  }
  const char* end = digits.data() + digits.size();
  int64_t number = 0;
  auto result = std::from_chars(digits.data(), end, number, base);
  if (result.ec == std::errc() && result.ptr == end) return Figure(number);
  uint64_t large = 0;  // addresses and masks use all 64 bits
  result = std::from_chars(digits.data(), end, large, base);
  if (result.ec == std::errc() && result.ptr == end) return Figure(large);
  return std::nullopt;
}

std::optional<Figure> Real(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  if (number != number || number - number != 0) return std::nullopt;
  return Figure(number);  // neither NaN nor infinite, JSON knows none
}

Figure::List List(std::string_view text) {
  Figure::List list;
  while (list.size() < kMaxListValues) {
    const size_t begin = text.find_first_not_of(" \t,");
    if (begin == text.npos) break;
    text.remove_prefix(begin);
    const size_t end = text.find_first_of(" \t,");
    list.push_back(Printable(text.substr(0, end)));
    if (end == text.npos) break;
    text.remove_prefix(end);
  }
  return list;
}

}  // namespace

std::optional<Figure> FigureOf(std::string_view text, CaptureType type) {
  const std::string_view word = Trim(text);
  switch (type) {
    case CaptureType::kBytes:
      return From(ParseBytes(word));
    case CaptureType::kInteger:
      return Integer(word, 10);
    case CaptureType::kHex:
      return Integer(word, 16);
    case CaptureType::kReal:
      return Real(word);
    case CaptureType::kMilliseconds:
      return From(ParseMilliseconds(word));
    case CaptureType::kVersion:
      if (word.find_first_of("0123456789") == word.npos) return std::nullopt;
      return Figure(Printable(word));
    case CaptureType::kList:
      return List(word);
    case CaptureType::kString:
      break;
  }
  return Figure(Printable(text));
}

}  // namespace inquest::rules
