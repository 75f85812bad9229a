// Dates to days since 1970 and back, proleptic Gregorian, without the C
// library's zones. Used by the time stamps' code.
#pragma once

#include <cstdint>

namespace inquest::ingest {

struct Civil {
  int64_t year;
  int month;  // from 1
  int day;    // from 1
};

int64_t DaysFromCivil(const Civil& date);
Civil CivilFromDays(int64_t days);
// Is there such a day; year 0 stands for an unknown one.
bool IsDate(int64_t year, int month, int day);

}  // namespace inquest::ingest
