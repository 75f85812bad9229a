// SPDX-License-Identifier: Apache-2.0
// The results of reading logs: events (a signature matched a line), passed one
// by one to a sink, and a summary of each file. The sink decides where they go;
// the reader keeps nothing, so its memory does not grow with the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/logs/units/log_unit.h"
#include "base/figures.h"

namespace inquest::ingest {

struct PrefixProfile;  // carriers/log_prefix.h

// A log in memory.
struct LogText {
  std::string name;
  std::string text;
  LogUnit unit = {};
};

// One line without colour codes, carriage-return overwrites, rank and container
// prefixes.
struct LogLine {
  std::string_view text;  // valid during the call only
  int64_t number = 0;     // from 1
  int64_t offset = 0;     // of the line's first byte in the (unpacked) file
  std::optional<int64_t> rank;
  std::optional<int64_t> group_rank;  // within the process group of the line
  std::optional<int64_t> pid;
  std::optional<int64_t> device;
  std::optional<std::string> host;
  std::optional<int64_t> time_ns;  // since 1970 UTC, if a date is known
  int64_t time_error_ns = 0;       // the unit of the stamp's last digit
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
  LogUnit unit;         // of lines that name none themselves
  std::string kind;     // app, kernel
  std::string packing;  // none, gzip, zstd
  int64_t bytes = 0;    // unpacked
  int64_t lines = 0;
  int64_t events = 0;
  int64_t cut_lines = 0;
  // Progress, context, benign and advice were so frequent that only a sample of
  // them was reported (LogLimits::most_repeats); causes and symptoms never are.
  bool thinned = false;
  int64_t repeats = 0;  // lines left out as repeats (LogLimits::most_alike)
  int64_t bad_captures = 0;  // texts that did not fit their type
  bool truncated = false;    // ends in the middle of a line or of its packing
  bool incomplete = false;   // a limit stopped the reading
  bool not_text = false;     // binary, and no rule matched a line
  std::string note;          // why
  std::optional<int64_t> first_time_ns;
  std::optional<int64_t> last_time_ns;
  // Stamps without a zone were taken as UTC. They compare well with each other
  // but are up to 14 hours wrong against any other source.
  bool zone_unknown = false;
};

// Whole lines of a log as they are, with all that surrounds them.
struct LogBlock {
  std::string_view text;   // valid during the call only
  int64_t offset = 0;      // of its first byte in the (unpacked) file
  int64_t first_line = 1;  // its number
};

class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void OnEvent(const LogEvent& event) = 0;
  // The last `tail` lines of each source, for context in reports.
  virtual void OnTail(size_t source, const std::vector<LogLine>& tail) = 0;
  virtual void OnSource(size_t source, const LogSource& facts) = 0;
  // Each block once its events were passed, for readers of texts that no single
  // line makes, such as stacks; see log_block_lines.h.
  virtual void OnBlock(size_t source, const LogBlock& block,
                       const PrefixProfile& profile) {
    static_cast<void>(source);
    static_cast<void>(block);
    static_cast<void>(profile);
  }
  // Whether the log's blocks are read from an event of this signature on; those
  // of a log that nothing asks for are not kept for long. Any thread.
  virtual bool WantsBlocksAfter(size_t signature) const {
    static_cast<void>(signature);
    return false;
  }
  // Called from time to time with the unpacked bytes read so far of the log at
  // `path`, first with 0.
  virtual void OnProgress(const std::string& path, int64_t bytes) {
    static_cast<void>(path);
    static_cast<void>(bytes);
  }
};

}  // namespace inquest::ingest
