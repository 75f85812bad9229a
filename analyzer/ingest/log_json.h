// Logs whose every line is a JSON object with the program's line inside:
// Docker's json-file and journalctl -o json. Only these two; an application's
// own JSON logs are text like any other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/ingest/log_time.h"

namespace inquest::ingest {

struct JsonLine {
  std::string text;  // without its line feed
  std::string host;
  std::optional<LogStamp> stamp;
  bool kernel = false;
  bool partial = false;  // goes on in the next one
};

bool LooksLikeJsonLine(std::string_view line);
// Nothing where the line is none of the two; it is then taken as it stands.
std::optional<JsonLine> UnwrapJsonLine(std::string_view line);

}  // namespace inquest::ingest
