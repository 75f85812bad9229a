// SPDX-License-Identifier: Apache-2.0
// Dating the stamps of one log; see log_time.h.

#include <charconv>
#include <chrono>
#include <cstdlib>

#include "analyzer/logs/carriers/log_time.h"

namespace inquest::ingest {
namespace {

using Clock = LogStamp::Clock;

constexpr int64_t kDay = 86'400'000'000'000;
constexpr int64_t kRtcSecond = 1'000'000'000;
// The hardware's clock has whole seconds and is put right after the start.
constexpr int64_t kRtcError = 5 * kRtcSecond;
constexpr int64_t kLatestSecond = 7'258'118'400;  // of the year 2200
constexpr int kMaxYear = 2200;  // near the limit of 64-bit nanoseconds

std::chrono::sys_days DayOf(int64_t ns) {
  using std::chrono::nanoseconds;
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<nanoseconds>(nanoseconds(ns)));
}

int64_t At(const LogStamp& stamp, std::chrono::sys_days day) {
  return day.time_since_epoch().count() * kDay + stamp.ns;
}

}  // namespace

std::optional<LogClock::Time> LogClock::Date(const LogStamp& stamp) {
  Time time;
  time.error_ns = stamp.resolution_ns;
  if (stamp.clock == Clock::kBoot) {
    if (!boot_offset_ns_) return std::nullopt;
    time.ns = stamp.ns + *boot_offset_ns_;
    time.error_ns += boot_error_ns_;
    time.zone_known = boot_zone_known_;
    return time;
  }
  time.zone_known = stamp.clock != Clock::kLocal;
  std::optional<int64_t> ns;
  if (stamp.clock == Clock::kEpoch) {
    ns = stamp.ns;
  } else if (stamp.year > 0) {
    if (stamp.year < kMaxYear) ns = At(stamp, DateOf(stamp, stamp.year));
  } else if (stamp.month > 0) {
    ns = WithYear(stamp);
  } else if (last_ns_) {
    ns = At(stamp, DayOf(*last_ns_));
    if (*ns < *last_ns_ - kDay / 2) *ns += kDay;  // past midnight
  }
  if (!ns) return std::nullopt;
  last_ns_ = ns;
  time.ns = *ns;
  return time;
}

// The year that puts the stamp nearest to a known time: an earlier stamp or, at
// first, the log's modification time, which is later.
std::optional<int64_t> LogClock::WithYear(const LogStamp& stamp) const {
  if (!last_ns_ && mtime_ns_ == 0) return std::nullopt;
  const int64_t anchor = last_ns_.value_or(mtime_ns_);
  const int year =
      static_cast<int>(std::chrono::year_month_day(DayOf(anchor)).year());
  std::optional<int64_t> best;
  for (const int one : {year - 1, year, year + 1}) {
    const std::chrono::year_month_day date = DateOf(stamp, one);
    if (!date.ok()) continue;
    const int64_t ns = At(stamp, date);
    if (!last_ns_ && ns > anchor + 2 * kDay) continue;  // zones: up to a day
    if (!best || std::llabs(ns - anchor) < std::llabs(*best - anchor)) {
      best = ns;
    }
  }
  return best;
}

void LogClock::Calibrate(const Time& time, int64_t boot_ns) {
  boot_offset_ns_ = time.ns - boot_ns;
  boot_error_ns_ = 0;
  boot_zone_known_ = time.zone_known;
}

void LogClock::CalibrateByRtc(std::string_view text, int64_t boot_ns) {
  constexpr std::string_view kWords = "setting system clock to ";
  if (boot_offset_ns_ || text.find(kWords) == text.npos) return;
  const size_t open = text.rfind('(');
  if (open == text.npos || !text.ends_with(')')) return;
  const char* const end = text.data() + text.size() - 1;
  int64_t seconds = 0;
  const auto [at, error] =
      std::from_chars(text.data() + open + 1, end, seconds);
  if (error != std::errc() || at != end || seconds <= 0 ||
      seconds > kLatestSecond) {
    return;
  }
  boot_offset_ns_ = seconds * kRtcSecond - boot_ns;
  boot_error_ns_ = kRtcError;
  boot_zone_known_ = true;
}

}  // namespace inquest::ingest
