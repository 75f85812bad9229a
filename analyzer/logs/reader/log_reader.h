// SPDX-License-Identifier: Apache-2.0
// Reads logs of any kind and size and passes matches of signatures to a sink.
// Streaming: memory does not grow with the log. Strips what surrounds a line
// (compression, colour codes, carriage returns, rank and container prefixes)
// before matching. Faulty input is counted, never fatal: a truncated or corrupt
// archive yields what could be decompressed and a note in LogSource. Called by
// log_parallel.h and by the pipeline; one thread, and the sink is called on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/logs/reader/log_event.h"
#include "analyzer/rules/signatures/match_budget.h"
#include "analyzer/rules/signatures/signature_set.h"
#include "base/status.h"

namespace inquest::ingest {

struct LogLimits {
  int64_t max_line_bytes = 64 << 10;        // the rest of a line is skipped
  int64_t max_unpacked_bytes = 16LL << 30;  // of one gzip or zstd log
  int64_t max_bytes = 1LL << 40;            // of one log
  // For harmless signatures (progress, context, benign, advice) only the first
  // events of a log are reported, this many, and later ones only after trouble,
  // once in each stretch (64 KiB, or a 256th of what precedes it) and at the
  // end: a log of weeks has millions.
  int64_t most_repeats = 1000;
  // Lines that differ in digits alone: so many are read, the rest only counted,
  // except one in each stretch and the last ones.
  int64_t most_alike = 4096;
  size_t tail_lines = 40;
};

// A log; "-" is standard input.
struct LogFile {
  std::string path;
  LogUnit unit = {};
};

// If it cannot be read, its LogSource says why, and so does the status.
// `budget` is common to several logs; null: one of its own.
Status ReadLogFile(const LogFile& file, const rules::SignatureSet& signatures,
                   const LogLimits& limits, LogSink* sink, size_t source = 0,
                   rules::MatchBudget* budget = nullptr);

// The same for a text in memory, packed or not. `mtime_ns`, 0 for unknown, is
// when the log was last written: it supplies the year to stamps without one.
Status ReadLogText(const std::string& name, std::string_view text,
                   const rules::SignatureSet& signatures,
                   const LogLimits& limits, LogSink* sink, size_t source = 0,
                   int64_t mtime_ns = 0, rules::MatchBudget* budget = nullptr,
                   const LogUnit& unit = {});

}  // namespace inquest::ingest
