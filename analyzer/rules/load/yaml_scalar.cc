// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/yaml_scalar.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace inquest::rules {
namespace {

using nlohmann::json;

std::optional<json> Whole(std::string_view text) {
  const bool negative = text.starts_with('-');
  int base = 10;
  if (text.starts_with('-') || text.starts_with('+')) {
    text.remove_prefix(1);
  } else if (text.starts_with("0x") || text.starts_with("0o")) {
    base = text[1] == 'x' ? 16 : 8;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  constexpr uint64_t kMaxMagnitude = uint64_t{1} << 63;
  if (!negative) {
    if (value >= kMaxMagnitude) return json(value);
    return json(static_cast<int64_t>(value));
  }
  if (value > kMaxMagnitude) return std::nullopt;
  return json(static_cast<int64_t>(~value + 1));
}

std::optional<json> JsonReal(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const size_t digit = text.starts_with('-') ? 1 : 0;
  // Excludes "inf" and "nan", which from_chars accepts, and "-".
  if (text.size() <= digit ||
      text.find_first_not_of("0123456789.eE+-", digit) !=
          std::string_view::npos) {
    return std::nullopt;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return json(value);
}

}  // namespace

json PlainScalar(const std::string& text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (const auto whole = Whole(text)) return *whole;
  if (const auto real = JsonReal(text)) return *real;
  return text;
}

}  // namespace inquest::rules
