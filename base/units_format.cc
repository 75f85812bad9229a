#include <cmath>
#include <cstdio>
#include <limits>

#include "base/units.h"

namespace inquest {
namespace {

constexpr int64_t kMaxNanoseconds = std::numeric_limits<int64_t>::max();

std::string Fraction(double value, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof(text), "%.2f %s", value, unit);
  return text;
}

}  // namespace

std::string FormatBytes(int64_t bytes) {
  const bool negative = bytes < 0;
  double value = std::fabs(static_cast<double>(bytes));
  if (value < 1024) return std::to_string(bytes) + " B";
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB",
                                           "TiB", "PiB", "EiB"};
  size_t unit = 0;
  // 1023.996 MiB would print as 1024.00 MiB.
  for (value /= 1024; value >= 1023.995 && unit < 5; ++unit) value /= 1024;
  return Fraction(negative ? -value : value, kUnits[unit]);
}

std::string FormatCount(int64_t count) {
  std::string text = std::to_string(count);
  const int first = count < 0 ? 1 : 0;
  for (int at = static_cast<int>(text.size()) - 3; at > first; at -= 3) {
    text.insert(static_cast<size_t>(at), 1, ',');
  }
  return text;
}

std::string FormatDuration(int64_t nanoseconds) {
  if (nanoseconds < 0) {
    const int64_t positive =
        nanoseconds == -kMaxNanoseconds - 1 ? kMaxNanoseconds : -nanoseconds;
    return FormatDuration(positive).insert(0, 1, '-');
  }
  const auto with = [](double value, const char* unit) {
    char text[48];
    std::snprintf(text, sizeof(text), value < 10 ? "%.1f" : "%.0f", value);
    std::string number = text;
    if (number.ends_with(".0")) number.resize(number.size() - 2);
    return number + " " + unit;
  };
  const auto ns = static_cast<double>(nanoseconds);
  if (nanoseconds < 1000) return std::to_string(nanoseconds) + " ns";
  if (ns < 999.5e3) return with(ns / 1e3, "µs");
  if (ns < 999.5e6) return with(ns / 1e6, "ms");
  if (ns < 59.5e9) return with(ns / 1e9, "s");
  const int64_t seconds = nanoseconds / 1'000'000'000 +
                          (nanoseconds % 1'000'000'000 >= 500'000'000);
  const auto pair = [](int64_t big, const char* a, int64_t small,
                       const char* b) {
    std::string text = std::to_string(big) + " " + a;
    if (small > 0) text += " " + std::to_string(small) + " " + b;
    return text;
  };
  if (seconds < 3600) return pair(seconds / 60, "min", seconds % 60, "s");
  const int64_t minutes = (seconds + 30) / 60;
  if (minutes < 1440) return pair(minutes / 60, "h", minutes % 60, "min");
  return pair(minutes / 1440, "d", minutes % 1440 / 60, "h");
}

// The calendar by hand: gmtime is not thread-safe and chrono's formatting is
// missing from gcc 12.
std::string FormatTime(int64_t realtime_ns) {
  int64_t seconds = realtime_ns / 1'000'000'000;
  int64_t rest = realtime_ns % 1'000'000'000;
  if (rest < 0) {
    rest += 1'000'000'000;
    --seconds;
  }
  int64_t days = seconds / 86400;
  int64_t of_day = seconds % 86400;
  if (of_day < 0) {
    of_day += 86400;
    --days;
  }
  // Days since 0000-03-01, in eras of 400 years.
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t of_era = days - era * 146097;
  const int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int64_t of_year =
      of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted = (5 * of_year + 2) / 153;
  const int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2);
  const int64_t day = of_year - (153 * shifted + 2) / 5 + 1;
  char text[80];
  std::snprintf(
      text, sizeof(text), "%04d-%02d-%02d %02d:%02d:%02d.%03d",
      static_cast<int>(year), static_cast<int>(month), static_cast<int>(day),
      static_cast<int>(of_day / 3600), static_cast<int>(of_day / 60 % 60),
      static_cast<int>(of_day % 60), static_cast<int>(rest / 1'000'000));
  return text;
}

}  // namespace inquest
