// SPDX-License-Identifier: Apache-2.0
// Where the words of a line begin.
#include "analyzer/logs/carriers/log_header.h"

#include "tests/catch_compat.h"

using inquest::ingest::HeaderLength;

namespace {

std::string_view Words(std::string_view line) {
  return line.substr(HeaderLength(line));
}

}  // namespace

TEST_CASE("headers of loggers, services and terminals") {
  for (const char* line : {
           "Killed",
           "[stderr] Killed",
           "> Killed",
           "ERROR:root:Killed",
           "[2031-02-03 04:05:06,070] [ERROR] Killed",
           "2031-02-03T04:05:06.070Z WARNING - Killed",
           "2031-02-03 04:05:06,070 ERROR trainer.py:55 Killed",
           "2031-02-03 04:05:06,070 - trainer - ERROR - Killed",
           "2031-02-03 04:05:06.070 | ERROR    | train:<module>:12 - Killed",
           "I0203 04:05:06.070809 140123 run_docker.py:180] Killed",
           "Feb  3 04:05:06 node17 python[812]: Killed",
           "python[812]: Killed",
           "(TrainWorker pid=4242, ip=10.0.0.1) Killed",
           "18:19:06.687 Killed",
           "[2031-02-03T04:05:06Z] || Killed",
       }) {
    CAPTURE(line);
    CHECK(Words(line) == "Killed");
  }
}

TEST_CASE("words are not taken for a header") {
  for (const char* line :
       {"", "Traceback (most recent call last):", "KeyError: 'labels'",
        "[1, 2, 3]", "12 of 17 done", "error while loading", "(2) of them",
        "2031-02-03 04:05:06 ", "Feb  3 04:05:06 node17 went down"}) {
    CAPTURE(line);
    CHECK(HeaderLength(line) == 0);
  }
}
