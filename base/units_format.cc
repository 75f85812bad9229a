// SPDX-License-Identifier: Apache-2.0
#include <chrono>
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

// gcc 12 cannot format chrono's types yet.
std::string FormatTime(int64_t realtime_ns) {
  using namespace std::chrono;
  const auto time =
      floor<milliseconds>(sys_time<nanoseconds>(nanoseconds(realtime_ns)));
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  char text[80];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02u %02d:%02d:%02d.%03d",
                static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text;
}

}  // namespace inquest
