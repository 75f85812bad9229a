// SPDX-License-Identifier: Apache-2.0
// What reading logs yields: events (a signature matched a line), passed one by
// one to a sink, and a summary of each file. The sink decides where they go;
// the reader keeps nothing, so its memory does not grow with the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/figures.h"

namespace inquest::ingest {

// A log that is in memory already.
struct LogText {
  std::string name;
  std::string text;
};

// One line after the transport was taken off: colour codes, carriage-return
// overwrites, rank and container prefixes.
struct LogLine {
  std::string_view text;  // valid during the call only
  int64_t number = 0;     // from 1
  int64_t offset = 0;     // of the line's first byte in the (unpacked) file
  std::optional<int64_t> rank;
  std::optional<int64_t> pid;
  std::optional<std::string> host;
  std::optional<int64_t> time_ns;  // since 1970 UTC where a date is known
  int64_t time_error_ns = 0;       // what the stamp's last digit is worth
  bool cut = false;                // the line was longer than the limit
};

struct LogEvent {
  size_t signature = 0;  // index into RuleSet::signatures
  size_t source = 0;     // index of the log, in the order they were given
  LogLine line;
  Figures figures;  // captures, typed, and the constants
};

struct LogSource {
  std::string path;     // as given; "-" for standard input
  std::string kind;     // app, kernel
  std::string packing;  // none, gzip, zstd
  int64_t bytes = 0;    // unpacked
  int64_t lines = 0;
  int64_t events = 0;
  int64_t cut_lines = 0;
  // Progress, context, benign and advice came so often that only a sample of
  // them was reported (LogLimits::most_repeats); causes and symptoms never are.
  bool thinned = false;
  int64_t bad_captures = 0;  // texts that did not fit their type
  bool truncated = false;    // ends in the middle of a line or of its packing
  bool incomplete = false;   // a limit stopped the reading
  std::string note;          // why, in words
  std::optional<int64_t> first_time_ns;
  std::optional<int64_t> last_time_ns;
  // Stamps without a zone were taken as UTC. They compare well with each other
  // but are up to 14 hours wrong against any other source.
  bool zone_unknown = false;
};

class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void OnEvent(const LogEvent& event) = 0;
  // The last `tail` lines of each source, for context in reports.
  virtual void OnTail(size_t source, const std::vector<LogLine>& tail) = 0;
  virtual void OnSource(size_t source, const LogSource& facts) = 0;
  // So many unpacked bytes of the log at `path` were read: 0 first,
  // then now and then.
  virtual void OnProgress(const std::string& path, int64_t bytes) {
    static_cast<void>(path);
    static_cast<void>(bytes);
  }
};

}  // namespace inquest::ingest
