// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "base/units.h"

namespace inquest {
namespace {

constexpr int64_t kMaxNumber = std::numeric_limits<int64_t>::max();

// "1.99", "1,234,567" (thousands), "614400000", "1e+09" at the beginning of
// `text`; removes it from there.
std::optional<double> TakeNumber(std::string_view* text) {
  std::string digits;
  size_t at = 0;
  while (at < text->size() && digits.size() < 40) {
    const char c = (*text)[at];
    const bool thousands = c == ',' && at > 0 && at + 3 < text->size() &&
                           IsDigit((*text)[at + 1]) &&
                           IsDigit((*text)[at + 2]) && IsDigit((*text)[at + 3]);
    const bool exponent =
        (c == 'e' || c == 'E') && at + 1 < text->size() &&
        (IsDigit((*text)[at + 1]) ||
         (at + 2 < text->size() &&
          ((*text)[at + 1] == '+' || (*text)[at + 1] == '-') &&
          IsDigit((*text)[at + 2])));
    if (exponent) {
      digits += c;
      digits += (*text)[++at];
    } else if (IsDigit(c) || c == '.') {
      digits += c;
    } else if (!thousands) {
      break;
    }
    ++at;
  }
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::result_out_of_range)
    value = HUGE_VAL;
  else if (error != std::errc() || stop != end)
    return std::nullopt;
  text->remove_prefix(at);
  return value;
}

std::optional<int64_t> Scaled(double value, double factor) {
  const double scaled = std::round(value * factor);
  if (std::isnan(scaled) || scaled < 0) return std::nullopt;
  if (scaled >= 9.2233720368547758e18) return kMaxNumber;
  return static_cast<int64_t>(scaled);
}

std::optional<double> ByteFactor(std::string_view unit) {
  if (unit.empty() || EqualsIgnoringCase(unit, "b") ||
      EqualsIgnoringCase(unit, "byte") || EqualsIgnoringCase(unit, "bytes")) {
    return 1.0;
  }
  const std::string_view prefixes = "kmgtpe";
  const size_t power = prefixes.find(ToLower(unit[0]));
  const std::string_view rest = unit.substr(1);
  if (power == std::string_view::npos) return std::nullopt;
  if (!rest.empty() && !EqualsIgnoringCase(rest, "b") &&
      !EqualsIgnoringCase(rest, "ib") && !EqualsIgnoringCase(rest, "i") &&
      !EqualsIgnoringCase(rest, "bytes")) {
    return std::nullopt;
  }
  return std::ldexp(1.0, 10 * (static_cast<int>(power) + 1));
}

// Whole numbers must not lose digits to a double.
std::optional<int64_t> WholeNumber(std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop != end || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return kMaxNumber;
  return static_cast<int64_t>(std::min<uint64_t>(value, kMaxNumber));
}

struct TimeUnit {
  std::string_view name;
  double milliseconds;
};
constexpr TimeUnit kTimeUnits[] = {
    {"ms", 1},     {"msec", 1},     {"millisecond", 1}, {"milliseconds", 1},
    {"us", 1e-3},  {"ns", 1e-6},    {"s", 1e3},         {"sec", 1e3},
    {"secs", 1e3}, {"second", 1e3}, {"seconds", 1e3},   {"m", 6e4},
    {"min", 6e4},  {"mins", 6e4},   {"minute", 6e4},    {"minutes", 6e4},
    {"h", 3.6e6},  {"hr", 3.6e6},   {"hour", 3.6e6},    {"hours", 3.6e6},
    {"d", 8.64e7}, {"day", 8.64e7}, {"days", 8.64e7},
};

// "0:30:00", "1 day, 0:00:00", "05:00": as Python prints a timedelta.
std::optional<int64_t> ClockMilliseconds(std::string_view text) {
  double seconds = 0;
  int parts = 0;
  while (true) {
    const auto part = TakeNumber(&text);
    if (!part || ++parts > 3) return std::nullopt;
    seconds = seconds * 60 + *part;
    if (text.empty()) break;
    if (text[0] != ':') return std::nullopt;
    text.remove_prefix(1);
  }
  if (parts < 2) return std::nullopt;
  return Scaled(seconds, 1e3);
}

}  // namespace

std::optional<int64_t> ParseBytes(std::string_view text) {
  text = Trim(text);
  if (text.empty() || !(IsDigit(text[0]) || text[0] == '.')) {
    return std::nullopt;
  }
  if (const auto whole = WholeNumber(text)) return whole;
  const auto value = TakeNumber(&text);
  if (!value) return std::nullopt;
  const auto factor = ByteFactor(Trim(text));
  if (!factor) return std::nullopt;
  return Scaled(*value, *factor);
}

std::optional<int64_t> ParseMilliseconds(std::string_view text) {
  text = Trim(text);
  if (text.empty() || !(IsDigit(text[0]) || text[0] == '.')) {
    return std::nullopt;
  }
  if (const auto whole = WholeNumber(text)) return whole;
  if (const auto clock = ClockMilliseconds(text)) return clock;
  double total = 0;
  while (!text.empty()) {  // "1h 30m", "1 day, 0:00:00"
    if (const auto clock = ClockMilliseconds(text)) {
      return Scaled(total + static_cast<double>(*clock), 1);
    }
    const auto value = TakeNumber(&text);
    if (!value) return std::nullopt;
    text = Trim(text);
    size_t end = 0;
    while (end < text.size() && IsAlpha(text[end])) {
      ++end;
    }
    const auto unit = std::find_if(
        std::begin(kTimeUnits), std::end(kTimeUnits), [&](const TimeUnit& u) {
          return EqualsIgnoringCase(text.substr(0, end), u.name);
        });
    if (unit == std::end(kTimeUnits)) return std::nullopt;
    total += *value * unit->milliseconds;
    text.remove_prefix(end);
    if (!text.empty() && text[0] == ',') text.remove_prefix(1);
    text = Trim(text);
  }
  return Scaled(total, 1);
}

}  // namespace inquest
