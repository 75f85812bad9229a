// SPDX-License-Identifier: Apache-2.0
// Unwraps logs in which every line is a JSON object that contains the program's
// own words: Docker's json-file, journalctl -o json, and the output of loggers
// and log shippers (Python's JSON formatters, structlog, Fluent Bit, Cloud
// Logging …), recognized by the key of the message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/logs/carriers/log_time.h"

namespace inquest::ingest {

struct JsonLine {
  // Without the last line feed. May be several lines: a logged exception's
  // traceback, and the numbers logged beside the message as "loss=0.25 step=3".
  std::string text;
  std::string host;
  std::optional<int64_t> rank;
  std::optional<int64_t> pid;
  std::optional<LogStamp> stamp;
  bool kernel = false;
  bool partial = false;  // continues in the next line
};

bool LooksLikeJsonLine(std::string_view line);
// Empty if the line is not one of these; it is then used unchanged.
std::optional<JsonLine> UnwrapJsonLine(std::string_view line);

}  // namespace inquest::ingest
