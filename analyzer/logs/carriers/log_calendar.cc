#include "analyzer/logs/carriers/log_calendar.h"

namespace inquest::ingest {

// Years begin in March here, so that the leap day is the last of its year; an
// era is 400 years of 146,097 days.
int64_t DaysFromCivil(const Civil& date) {
  const int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t of_era = year - era * 400;
  const int64_t shifted = date.month > 2 ? date.month - 3 : date.month + 9;
  const int64_t of_year = (153 * shifted + 2) / 5 + date.day - 1;
  const int64_t days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return era * 146097 + days - 719468;
}

Civil CivilFromDays(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t of_era = days - era * 146097;
  const int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int64_t of_year =
      of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted = (5 * of_year + 2) / 153;
  const int month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  return {year_of_era + era * 400 + (month <= 2), month,
          static_cast<int>(of_year - (153 * shifted + 2) / 5 + 1)};
}

bool IsDate(int64_t year, int month, int day) {
  if (month < 1 || month > 12 || day < 1) return false;
  constexpr int kDays[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (day > kDays[month - 1]) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month != 2 || day < 29 || leap;
}

}  // namespace inquest::ingest
