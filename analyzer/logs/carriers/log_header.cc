// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/carriers/log_header.h"

#include <re2/re2.h>

namespace inquest::ingest {
namespace {

// Each piece includes the separator after it.
constexpr char kHeader[] =
    "(?:"
    // glog, absl: "E0203 04:05:06.070809 140123 pool.py:42] "
    R"([IWEF]\d{4,8} \d\d:\d\d:\d\d\.\d+ +\d+ [^\s\]]+:\d+\] +)"
    // "2031-02-03T04:05:06.070Z ", "[2031-02-03 04:05:06,070] "
    R"(|\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?[,;:]?\s+)"
    // "04:05:06.070 ", "[04:05:06] "
    R"(|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?:?\s+)"
    // syslog, whose time and host the reader strips if all lines have them:
    // "Feb  3 04:05:06 node17 python[812]: "
    R"(|(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ )?[\w./-]{1,60}\[\d+\]: )"
    // "[stderr] ", "[INFO]: ", "[node1:0] "
    R"(|\[[^\]\s][^\]]{0,60}\]:?\s+)"
    // Ray: "(TrainWorker pid=4242, ip=10.0.0.1)  "
    R"(|\(\w[\w. ]{0,60}pid=\d+[^)]{0,60}\)\s+)"
    // Python's usual format: "- trainer - ERROR - "
    R"(|(?:- )?[\w.-]{1,60} - (?:DEBUG|INFO|WARNING|ERROR|CRITICAL) - )"
    // loguru: "train:main:12 - "
    R"(|[\w.]{1,60}:[\w.<>]{1,60}:\d+ - )"
    // "ERROR:root:", "WARNING - "
    R"(|(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|stderr)(?::[\w.]*:|:|\s)\s*)"
    // "train.py:42: ", "core.py:712] "
    R"(|[\w./-]+\.(?:py|cc|cpp|cu|h|go|rs):\d+\]?:?\s+)"
    // "> ", "| ", "|| ", "- "
    R"(|(?:>|\|\|?|-)\s+)"
    ")+";

const re2::RE2& Header() {
  static const re2::RE2 header(kHeader, re2::RE2::Quiet);
  return header;
}

}  // namespace

size_t HeaderLength(std::string_view line) {
  re2::StringPiece rest(line.data(), line.size());
  if (!re2::RE2::Consume(&rest, Header()) || rest.empty()) return 0;
  return line.size() - rest.size();
}

}  // namespace inquest::ingest
