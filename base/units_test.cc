// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include "tests/catch_compat.h"

using namespace inquest;

TEST_CASE("sizes as logs write them") {
  CHECK(ParseBytes("1.99 GiB") == 2136746230);
  CHECK(ParseBytes("2.00 GiB") == 2147483648);
  CHECK(ParseBytes("585.94MiB") == 614402621);
  CHECK(ParseBytes("16G") == 17179869184);
  CHECK(ParseBytes("614400000") == 614400000);
  CHECK(ParseBytes("12 bytes") == 12);
  CHECK(ParseBytes("1,234,567 bytes") == 1234567);
  CHECK(ParseBytes(" 3.5 kB ") == 3584);
  CHECK(ParseBytes("1e3") == 1000);
  CHECK(ParseBytes("9007199254740993") == 9007199254740993);
}

TEST_CASE("sizes beyond 63 bits are cut") {
  CHECK(ParseBytes("16 EiB") == INT64_MAX);
  CHECK(ParseBytes("18446744073709551615") == INT64_MAX);
  CHECK(ParseBytes("99999999999999999999999") == INT64_MAX);
  CHECK(ParseBytes("1e999") == INT64_MAX);
}

TEST_CASE("texts that are not sizes") {
  for (const char* text : {"", " ", "GiB", "-1", "12 parsecs", "1.2.3 MiB",
                           "nan", "inf", "0x10", "12 KiBs", "12 M x"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseBytes(text).has_value());
  }
}

TEST_CASE("durations as logs write them") {
  CHECK(ParseMilliseconds("6s") == 6000);
  CHECK(ParseMilliseconds("30 min") == 1800000);
  CHECK(ParseMilliseconds("1800000") == 1800000);
  CHECK(ParseMilliseconds("600000ms") == 600000);
  CHECK(ParseMilliseconds("0:30:00") == 1800000);
  CHECK(ParseMilliseconds("1 day, 0:00:01") == 86401000);
  CHECK(ParseMilliseconds("1h 30m") == 5400000);
  CHECK(ParseMilliseconds("1.5 seconds") == 1500);
  CHECK_FALSE(ParseMilliseconds("soon").has_value());
  CHECK_FALSE(ParseMilliseconds("5 lightyears").has_value());
  CHECK_FALSE(ParseMilliseconds("1:2:3:4").has_value());
  CHECK_FALSE(ParseMilliseconds("").has_value());
}

TEST_CASE("numbers for people") {
  CHECK(FormatBytes(512) == "512 B");
  CHECK(FormatBytes(9771050598) == "9.10 GiB");
  CHECK(FormatBytes(1048575) == "1.00 MiB");
  CHECK(FormatBytes(-2048) == "-2.00 KiB");
  CHECK(FormatBytes(INT64_MAX) == "8.00 EiB");
  CHECK(FormatCount(12345) == "12,345");
  CHECK(FormatCount(-123456) == "-123,456");
  CHECK(FormatCount(999) == "999");
  CHECK(FormatDuration(1500000000) == "1.5 s");
  CHECK(FormatDuration(12000000) == "12 ms");
  CHECK(FormatDuration(12000000000000) == "3 h 20 min");
  CHECK(FormatDuration(INT64_MIN).front() == '-');
}

TEST_CASE("wall clock") {
  CHECK(FormatTime(0) == "1970-01-01 00:00:00.000");
  CHECK(FormatTime(1795169702123000000) == "2026-11-20 10:15:02.123");
  CHECK(FormatTime(951782400000000000) == "2000-02-29 00:00:00.000");
  CHECK(FormatTime(-1000000) == "1969-12-31 23:59:59.999");
}

TEST_CASE("foreign text becomes printable") {
  CHECK(Printable("a\tb") == "a\tb");
  CHECK(Printable("\x1b[31mred") == "\\x1B[31mred");
  CHECK(Printable("caf\xc3\xa9") == "caf\xc3\xa9");
  CHECK(Printable("caf\xe9") == "caf\\xE9");
  CHECK(Printable("\xc0\x80") == "\\xC0\\x80");           // overlong
  CHECK(Printable("\xed\xa0\x80") == "\\xED\\xA0\\x80");  // surrogate
  CHECK(Printable("\xc2\x9b"
                  "31m") == "\\xC2\\x9B31m");  // C1 control
  CHECK(Printable(std::string_view("\0x", 2)) == "\\x00x");
  CHECK(Printable("abcdef", 3) == "abc…");
  CHECK(Printable("ab\xc3\xa9", 3) == "ab…");
}
