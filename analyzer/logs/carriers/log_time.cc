// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/carriers/log_time.h"

#include "analyzer/logs/carriers/log_scan.h"

namespace inquest::ingest {
namespace {

using Clock = LogStamp::Clock;

constexpr int64_t kSecond = 1'000'000'000;
constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr",
                                        "May", "Jun", "Jul", "Aug",
                                        "Sep", "Oct", "Nov", "Dec"};
constexpr std::string_view kWeekdays[] = {"Mon", "Tue", "Wed", "Thu",
                                          "Fri", "Sat", "Sun"};

bool TakeWeekday(Cursor* c) {
  for (const std::string_view day : kWeekdays) {
    if (c->rest().starts_with(day) && c->peek(3) == ' ') {
      return c->Take(day) && c->Take(' ');
    }
  }
  return false;
}

int TakeMonth(Cursor* c) {
  for (int i = 0; i < 12; ++i) {
    if (c->Take(kMonths[i])) return i + 1;
  }
  return 0;
}

// " 3", "03", "3"
int TakeDay(Cursor* c) {
  c->Take(' ');
  const auto day = c->Number(2);
  return day ? static_cast<int>(*day) : 0;
}

// ".123456", ",123": up to nine digits count, more are skipped.
void TakeFraction(Cursor* c, LogStamp* stamp) {
  stamp->resolution_ns = kSecond;
  if ((c->peek() != '.' && c->peek() != ',') || !IsDigit(c->peek(1))) return;
  c->set(c->at() + 1);
  for (const char digit : c->While(IsDigit)) {
    if (stamp->resolution_ns == 1) continue;
    stamp->resolution_ns /= 10;
    stamp->ns += (digit - '0') * stamp->resolution_ns;
  }
}

// "04:05:06.789"; 24 is not an hour, 60 is a leap second.
bool TakeTime(Cursor* c, LogStamp* stamp) {
  const auto hour = c->Fixed(2);
  if (!hour || !c->Take(':')) return false;
  const auto minute = c->Fixed(2);
  if (!minute || !c->Take(':')) return false;
  const auto second = c->Fixed(2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return false;
  stamp->ns = (*hour * 3600 + *minute * 60 + *second) * kSecond;
  TakeFraction(c, stamp);
  return true;
}

// "Z", "+00:00", "+0000", " UTC", " +0000"
void TakeZone(Cursor* c, LogStamp* stamp) {
  const size_t begin = c->at();
  c->Take(' ');
  if (c->Take("UTC") || c->Take("GMT") || c->Take('Z')) {
    if (!IsAlpha(c->peek())) {
      stamp->clock = Clock::kUtc;
      return;
    }
  } else if (c->peek() == '+' || c->peek() == '-') {
    const int64_t sign = c->peek() == '+' ? 1 : -1;
    c->set(c->at() + 1);
    const auto hours = c->Fixed(2);
    c->Take(':');
    const auto minutes = c->Fixed(2);
    if (hours && *hours <= 14 && minutes && *minutes < 60 &&
        !IsDigit(c->peek())) {
      stamp->clock = Clock::kUtc;
      stamp->ns -= sign * (*hours * 3600 + *minutes * 60) * kSecond;
      return;
    }
  }
  c->set(begin);
}

bool Valid(const LogStamp& stamp) {
  return DateOf(stamp, stamp.year).ok();
}

// "2031-02-03T04:05:06", "2031/02/03 04:05:06"
bool TakeYearFirst(Cursor* c, LogStamp* stamp) {
  const auto year = c->Fixed(4);
  const char separator = c->peek();
  if (!year || *year < 1970 || !c->TakeAny("-/")) return false;
  const auto month = c->Fixed(2);
  if (!month || !c->Take(separator)) return false;
  const auto day = c->Fixed(2);
  if (!day || !c->TakeAny("T _-")) return false;
  *stamp = {Clock::kLocal, *year, *month, *day, 0, 0, 0};
  if (!Valid(*stamp) || !TakeTime(c, stamp)) return false;
  TakeZone(c, stamp);
  return true;
}

// "02/03/2031 04:05:06", "02/03/2031-04:05:06", "02/03 04:05:06", "02-03 …"
bool TakeMonthFirst(Cursor* c, LogStamp* stamp) {
  auto month = c->Fixed(2);
  const char separator = c->peek();
  if (!month || !c->TakeAny("-/")) return false;
  auto day = c->Fixed(2);
  if (!day) return false;
  int year = 0;
  if (separator == '/' && c->Take('/')) {
    const auto written = c->Fixed(4);
    if (!written || *written < 1970) return false;
    year = *written;
    if (*month > 12) std::swap(*month, *day);  // the day can only be first
  }
  if (!c->TakeAny(year > 0 ? " -" : " ")) return false;
  *stamp = {Clock::kLocal, year, *month, *day, 0, 0, 0};
  return Valid(*stamp) && TakeTime(c, stamp);
}

// "E0203 04:05:06.07", "F20310203 …", "W203 …" (PyTorch: one digit of month),
// "I0000 00:00:1747368638.390058" (absl before its start).
bool TakeSeverity(Cursor* c, LogStamp* stamp) {
  if (!c->TakeAny("IWEFCVDT")) return false;
  if (c->Take("0000 00:00:")) {
    const auto seconds = c->Number(11);
    if (!seconds) return false;
    *stamp = {Clock::kEpoch, 0, 0, 0, *seconds * kSecond, 0, 0};
    TakeFraction(c, stamp);
    return true;
  }
  const size_t begin = c->at();
  const auto digits = c->Number(8);
  if (!digits || !c->Take(' ')) return false;
  const size_t length = c->at() - 1 - begin;
  if (length != 3 && length != 4 && length != 8) return false;
  *stamp = {Clock::kLocal,
            static_cast<int>(length == 8 ? *digits / 10000 : 0),
            static_cast<int>(*digits % 10000 / 100),
            static_cast<int>(*digits % 100),
            0,
            0,
            0};
  return Valid(*stamp) && TakeTime(c, stamp);
}

// "Feb  3 04:05:06", "Feb 03 2031 04:05:06"
bool TakeMonthName(Cursor* c, LogStamp* stamp) {
  const int month = TakeMonth(c);
  if (month == 0 || !c->Take(' ')) return false;
  const int day = TakeDay(c);
  if (!c->Take(' ')) return false;
  int year = 0;
  if (IsDigit(c->peek(3)) && c->peek(4) == ' ') {
    year = c->Fixed(4).value_or(-1);
    if (year < 1970 || !c->Take(' ')) return false;
  }
  *stamp = {Clock::kLocal, year, month, day, 0, 0, 0};
  return Valid(*stamp) && TakeTime(c, stamp);
}

// "Mon Feb  3 04:05:06 2031", "… UTC 2031", "Mon 2031-02-03 04:05:06 UTC"
bool TakeWeekdayFirst(Cursor* c, LogStamp* stamp) {
  if (!TakeWeekday(c)) return false;
  if (IsDigit(c->peek())) return TakeYearFirst(c, stamp);
  if (!TakeMonthName(c, stamp)) return false;
  if (stamp->year > 0) return true;
  const size_t end = c->at();
  if (c->Take(" UTC") || c->Take(" GMT")) stamp->clock = Clock::kUtc;
  if (c->Take(' ')) {
    const auto year = c->Fixed(4);
    if (year && *year >= 1970) {
      stamp->year = *year;
      return Valid(*stamp);
    }
  }
  c->set(end);
  stamp->clock = Clock::kLocal;
  return true;
}

// "  123.456789": seconds since boot, as the kernel writes them.
bool TakeBoot(Cursor* c, LogStamp* stamp) {
  c->SkipBlanks();
  const auto seconds = c->Number(9);
  if (!seconds || c->peek() != '.' || !IsDigit(c->peek(6)) ||
      IsDigit(c->peek(7))) {
    return false;
  }
  *stamp = {Clock::kBoot, 0, 0, 0, *seconds * kSecond, 0, 0};
  TakeFraction(c, stamp);
  return true;
}

// "Feb 3 04:05": the minute, as `dmesg -e` writes it. Its other lines give only
// the difference to the previous line ("  +0.000012"), which may not have been
// parsed: they have no time.
bool TakeMinute(Cursor* c, LogStamp* stamp) {
  const int month = TakeMonth(c);
  const int day = TakeDay(c);
  if (!c->Take(' ')) return false;
  const auto hour = c->Fixed(2);
  if (!hour || !c->Take(':')) return false;
  const auto minute = c->Fixed(2);
  if (!minute || *hour > 23 || *minute > 59) return false;
  const int64_t ns = (*hour * 3600 + *minute * 60) * kSecond;
  *stamp = {Clock::kLocal, 0, month, day, ns, 60 * kSecond, 0};
  return Valid(*stamp);
}

using Form = bool (*)(Cursor*, LogStamp*);

bool TakeOneOf(std::initializer_list<Form> forms, Cursor* c, LogStamp* stamp) {
  const size_t begin = c->at();
  for (const Form form : forms) {
    if (form(c, stamp)) return true;
    c->set(begin);
  }
  return false;
}

bool TakeBare(Cursor* c, LogStamp* stamp) {
  if (IsDigit(c->peek())) {
    return TakeOneOf({TakeYearFirst, TakeMonthFirst}, c, stamp);
  }
  return TakeOneOf({TakeSeverity, TakeMonthName, TakeWeekdayFirst}, c, stamp);
}

bool TakeBracketed(Cursor* c, LogStamp* stamp) {
  if (!c->Take('[')) return false;
  if (TakeOneOf({TakeBare}, c, stamp)) {
    c->Take(']');
    return true;
  }
  // Without a date these could be any number, hence the bounds.
  if (TakeOneOf({TakeBoot, TakeMinute, TakeTime}, c, stamp)) {
    return c->Take(']');
  }
  return false;
}

// Skips a level, a name or a source before the stamp: "INFO ", "WARNING:",
// "LAUNCH ERROR ", "[INFO|x.py:42] ", "[NeMo W ", "(raylet) ".
bool TakeLead(Cursor* c) {
  constexpr size_t kMaxLength = 48;
  const size_t begin = c->at();
  if (c->Take("[NeMo ")) return c->TakeAny("DIWEC") && c->Take(' ');
  if (c->peek() == '[' || c->peek() == '(') {
    const char* const end = c->peek() == '[' ? "] " : ") ";
    const size_t close = c->rest().substr(0, kMaxLength).find(end);
    if (close == std::string_view::npos) return false;
    c->set(begin + close + 2);
    return true;
  }
  const size_t length = c->While(IsUpper).size();
  return length >= 4 && length <= 8 && c->TakeAny(" :");
}

}  // namespace

std::optional<LogStamp> ParseStamp(std::string_view text) {
  Cursor c(text);
  c.SkipBlanks();
  LogStamp stamp;
  for (int leads = 0; leads < 3; ++leads) {
    const size_t begin = c.at();
    if (TakeOneOf({TakeBracketed, TakeBare}, &c, &stamp)) {
      stamp.length = c.at();
      return stamp;
    }
    c.set(begin);
    if (!TakeLead(&c)) break;
  }
  return std::nullopt;
}

}  // namespace inquest::ingest
