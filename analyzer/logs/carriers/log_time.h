// SPDX-License-Identifier: Apache-2.0
// Time stamps as logs write them. Parses a stamp at the beginning of a text (in
// brackets or not) and turns it into nanoseconds since 1970, using other
// information about the log. Pure functions and a small state per log; no zone
// database, no current time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inquest::ingest {

// One stamp as written.
struct LogStamp {
  enum class Clock : uint8_t {
    kUtc,    // a date with its zone; `ns` may lie outside the day
    kLocal,  // a date or a time of day, zone unknown
    kEpoch,  // `ns` since 1970
    kBoot,   // `ns` since the machine started
  };
  Clock clock = Clock::kLocal;
  int year = 0;   // 0: not written
  int month = 0;  // from 1; 0: only a time of day
  int day = 0;
  int64_t ns = 0;             // of the day, unless the clock says otherwise
  int64_t resolution_ns = 0;  // the unit of the last digit
  size_t length = 0;  // bytes up to the stamp's end, closing bracket too
};

// The day that a stamp with a month names in this year (0: unknown, taken as a
// leap year); perhaps not ok().
inline std::chrono::year_month_day DateOf(const LogStamp& stamp, int year) {
  return {std::chrono::year(year),
          std::chrono::month(static_cast<unsigned>(stamp.month)),
          std::chrono::day(static_cast<unsigned>(stamp.day))};
}

// The stamp that `text` begins with, if any; a level or source may precede it:
// "[W203 …", "INFO 02-03 …", "[INFO|x.py:4] 2031-…".
std::optional<LogStamp> ParseStamp(std::string_view text);

// Dates the stamps of one log: later stamps get the year, and stamps with only
// a time of day the date, from earlier ones; boot seconds are calibrated by
// lines with both clocks, or by the line in which the kernel reads the date.
class LogClock {
 public:
  explicit LogClock(int64_t mtime_ns = 0) : mtime_ns_(mtime_ns) {}

  struct Time {
    int64_t ns = 0;  // since 1970; taken as UTC if the zone is unknown
    int64_t error_ns = 0;
    bool zone_known = false;
  };
  // Empty if no date is known: boot seconds alone, or a stamp without year in a
  // log of unknown age.
  std::optional<Time> Date(const LogStamp& stamp);
  // For a line with both a dated stamp and boot seconds.
  void Calibrate(const Time& time, int64_t boot_ns);
  // For the kernel's line "rtc_cmos …: setting system clock to DATE UTC (N)":
  // all that a plain dmesg says of the date. Other texts change nothing.
  void CalibrateByRtc(std::string_view text, int64_t boot_ns);

 private:
  std::optional<int64_t> WithYear(const LogStamp& stamp) const;

  int64_t mtime_ns_ = 0;
  std::optional<int64_t> last_ns_;  // latest dated stamp
  std::optional<int64_t> boot_offset_ns_;
  int64_t boot_error_ns_ = 0;
  bool boot_zone_known_ = false;
};

}  // namespace inquest::ingest
