// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/carriers/log_time.h"

#include <random>

#include "base/units.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::ingest;

namespace {

constexpr int64_t kSecond = 1'000'000'000;
// 2031-02-10, a week after the examples' date.
constexpr int64_t kMtime = 1928448000 * kSecond;

// The stamp's time as text, with "?" where the zone is unknown.
std::string Dated(std::string_view text, int64_t mtime = kMtime) {
  const auto stamp = ParseStamp(text);
  if (!stamp) return "none";
  LogClock clock(mtime);
  const auto time = clock.Date(*stamp);
  if (!time) return "undated";
  return FormatTime(time->ns) + (time->zone_known ? "" : "?");
}

}  // namespace

TEST_CASE("stamps of every usual form") {
  const std::string local = "2031-02-03 04:05:06.070?";
  const std::string whole = "2031-02-03 04:05:06.000?";
  const std::string utc = "2031-02-03 04:05:06.070";
  // TensorFlow, absl before its start, glog, PyTorch
  CHECK(Dated("2031-02-03 04:05:06.070809: W core/pool.cc:42] x") == local);
  CHECK(Dated("[Feb 3 04:05] NVRM: x") == "2031-02-03 04:05:00.000?");
  CHECK(Dated("[  +0.000012] NVRM: x") == "none");
  CHECK(Dated("I0000 00:00:1927857906.070809    1234 p.cc:42] x") == utc);
  CHECK(Dated("E0203 04:05:06.070809    1234 pool.cc:42] x") == local);
  CHECK(Dated("F20310203 04:05:06.070809 14 solver.cpp:42] x") == local);
  CHECK(Dated("[E203 04:05:06.070809010 ProcessGroup.cpp:42] x") == local);
  CHECK(Dated("[W1109 04:05:06.070809010 e.cpp:42] x") ==
        "2030-11-09 04:05:06.070?");
  CHECK(Dated("W0203 04:05:06.070000 1234 torch/x.py:42] [0/0] x") == local);
  // Python loggers
  CHECK(Dated("2031-02-03 04:05:06,070 - example - WARNING - x") == local);
  CHECK(Dated("[2031-02-03 04:05:06,070][example][ERROR] - x") == local);
  CHECK(Dated("[2031-02-03 04:05:06,070] [INFO] [e.py:4:f] [Rank 0] x") ==
        local);
  CHECK(Dated("WARNING:2031-02-03 04:05:06,070:jax._src:42: x") == local);
  CHECK(Dated("LAUNCH ERROR 2031-02-03 04:05:06,070 x") == local);
  CHECK(Dated("[INFO|example.py:42] 2031-02-03 04:05:06,070 >> x") == local);
  CHECK(Dated("[NeMo W 2031-02-03 04:05:06 example:42] x") == whole);
  CHECK(Dated("[2031-02-03 04:05:06 TP3] x") == whole);
  CHECK(Dated("(raylet) [2031-02-03 04:05:06,070 E 1 2] x") == local);
  CHECK(Dated("2031/02/03 04:05:06 - mmengine - INFO - x") == whole);
  CHECK(Dated("02/03/2031 04:05:06 - INFO - example - x") == whole);
  CHECK(Dated("[02/03/2031-04:05:06] [TRT] [E] x") == whole);
  CHECK(Dated("[02/03 04:05:06 d2.example]: x") == whole);
  CHECK(Dated("INFO 02-03 04:05:06 [example.py:42] x") == whole);
  CHECK(Dated("2031-02-03 04:05:06.070 | WARNING  | e:run:42 - x") == local);
  CHECK(Dated("[Feb 03 2031 04:05:06] [ERROR] [tid 1234] x") == whole);
  CHECK(Dated("[2031-02-03T04:05:06.070] [1234.batch] error: x") == local);
  // Zones
  CHECK(Dated("2031-02-03T04:05:06.070809010Z x") == utc);
  CHECK(Dated("2031-02-03T05:05:06.070+01:00 x") == utc);
  CHECK(Dated("2031-02-02T23:35:06.070-0430 x") == utc);
  CHECK(Dated("2031-02-03 04:05:06.070 UTC x") == utc);
  CHECK(Dated("2031-02-03 06:05:06.070 +0200 x") == utc);
  CHECK(Dated("Mon 2031-02-03 04:05:06 UTC node1 x: y") ==
        "2031-02-03 04:05:06.000");
  CHECK(Dated("Mon Feb  3 04:05:06 UTC 2031") == "2031-02-03 04:05:06.000");
  // syslog, ctime
  CHECK(Dated("Feb  3 04:05:06 node1 kernel: x") == whole);
  CHECK(Dated("[Mon Feb  3 04:05:06 2031] x") == whole);
}

TEST_CASE("the resolution is that of the last digit") {
  CHECK(ParseStamp("2031-02-03 04:05:06 x")->resolution_ns == kSecond);
  CHECK(ParseStamp("2031-02-03 04:05:06,070 x")->resolution_ns == 1000000);
  CHECK(ParseStamp("2031-02-03T04:05:06.070809010Z")->resolution_ns == 1);
  CHECK(ParseStamp("2031-02-03T04:05:06.0708090109999Z")->resolution_ns == 1);
}

TEST_CASE("what is no stamp") {
  for (const char* text : {"",
                           " ",
                           "x",
                           "[",
                           "[]",
                           "E",
                           "2031",
                           "2031-02-03",
                           "2031-02-30 04:05:06",
                           "2031-13-01 04:05:06",
                           "2031-02-03 25:05:06",
                           "99:99:99",
                           "04:05:06 x",
                           "[00:35<07:41, 2.01it/s]",
                           "[12]",
                           "[3] text",
                           "Epoch 3",
                           "Marvel 3 4",
                           "E9999 04:05:06.07",
                           "0000-00-00 00:00:00",
                           "[123.4567]",
                           "12345.678901 x",
                           "I0203 this",
                           "1999999999 04:05:06",
                           "Mon",
                           "Feb",
                           "Feb  ",
                           "May be it"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseStamp(text).has_value());
  }
}

TEST_CASE("stamps without a year take it from what is known") {
  CHECK(Dated("E0203 04:05:06.07 1 x.cc:4] x", 0) == "undated");
  // Written in January, stamped in December: last year's.
  const int64_t january = 1925164800 * kSecond;  // 2031-01-02
  CHECK(Dated("Dec 30 04:05:06 node1 x: y", january) ==
        "2030-12-30 04:05:06.000?");
  LogClock clock;
  REQUIRE(clock.Date(*ParseStamp("2029-12-31 23:59:58 x")).has_value());
  CHECK(
      FormatTime(clock.Date(*ParseStamp("E0101 00:00:01.5 1 x.cc:1] x"))->ns) ==
      "2030-01-01 00:00:01.500");
  // 29 February exists in some years only.
  CHECK(Dated("Feb 29 04:05:06 h x: y", kMtime) == "undated");
}

TEST_CASE("a time of day belongs to the day of the stamps around it") {
  LogClock clock;
  CHECK_FALSE(clock.Date(*ParseStamp("[04:05:06] src/x.cc:4: x")).has_value());
  REQUIRE(clock.Date(*ParseStamp("2031-02-03 23:59:00 x")).has_value());
  CHECK(FormatTime(clock.Date(*ParseStamp("[23:59:30] x"))->ns) ==
        "2031-02-03 23:59:30.000");
  CHECK(FormatTime(clock.Date(*ParseStamp("[00:00:10] x"))->ns) ==
        "2031-02-04 00:00:10.000");
}

TEST_CASE("boot seconds count once a line carried both clocks") {
  LogClock clock(kMtime);
  const auto boot = ParseStamp("[  123.456789] x");
  REQUIRE(boot.has_value());
  CHECK(boot->clock == LogStamp::Clock::kBoot);
  CHECK(boot->ns == 123456789000);
  CHECK_FALSE(clock.Date(*boot).has_value());
  const auto dated = clock.Date(*ParseStamp("2031-02-03T04:05:06Z x"));
  clock.Calibrate(*dated, 100 * kSecond);
  CHECK(FormatTime(clock.Date(*boot)->ns) == "2031-02-03 04:05:29.456");
  CHECK(clock.Date(*boot)->zone_known);
}

TEST_CASE("the kernel's reading of the hardware's clock dates boot seconds") {
  LogClock clock(kMtime);
  const auto boot = ParseStamp("[  100.500000] x");
  clock.CalibrateByRtc("rtc_cmos 00:04: setting system clock to x UTC (7)y", 0);
  CHECK_FALSE(clock.Date(*boot).has_value());
  clock.CalibrateByRtc(
      "rtc_cmos 00:04: setting system clock to 2031-02-03T04:05:06 UTC "
      "(1927857906)",
      500 * kSecond / 1000);
  const auto time = clock.Date(*boot);
  REQUIRE(time.has_value());
  CHECK(FormatTime(time->ns) == "2031-02-03 04:06:46.000");
  CHECK(time->error_ns >= kSecond);
  CHECK(time->zone_known);
}

TEST_CASE("random beginnings of lines do no harm") {
  std::mt19937 random(5);
  const std::string alphabet = "0123456789:-/., []TZ+IWEFebMon\t";
  for (int round = 0; round < 100000; ++round) {
    std::string text;
    for (size_t i = random() % 40; i > 0; --i) {
      text += alphabet[random() % alphabet.size()];
    }
    const auto stamp = ParseStamp(text);
    if (stamp && stamp->length > text.size()) CHECK(stamp->length == 0);
    if (stamp) LogClock(kMtime).Date(*stamp);
  }
}
