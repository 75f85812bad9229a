// SPDX-License-Identifier: Apache-2.0
// Reads one log: finds the lines that may match, parses them and passes the
// signatures' results to the sink. Lines without any required literal are only
// counted, which is what makes it fast; of these, only a few (the first lines,
// the first of each block, the last lines) are parsed for their time. Internal
// to the log reader; use once.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/logs/carriers/log_json.h"
#include "analyzer/logs/carriers/log_prefix.h"
#include "analyzer/logs/reader/log_block_queue.h"
#include "analyzer/logs/reader/log_folds.h"
#include "analyzer/logs/reader/log_openings.h"
#include "analyzer/logs/reader/log_reader.h"
#include "analyzer/logs/reader/log_repeats.h"
#include "analyzer/logs/reader/log_thinner.h"

namespace inquest::ingest {

class ByteStream;

class LogScanner {
 public:
  // `facts` has path and packing; Run fills in the rest.
  LogScanner(size_t source, LogSource facts, int64_t mtime_ns,
             const rules::SignatureSet& signatures, const LogLimits& limits,
             rules::MatchBudget* budget, LogSink* sink);
  void Run(ByteStream* bytes);

 private:
  // The raw bytes between two separators, and their position.
  struct Raw {
    std::string_view text;
    int64_t offset = 0;
    int64_t number = 0;
  };
  struct Line {  // taken apart
    LogLine line;
    std::string text;
    bool kernel = false;
    size_t width = 0;  // of the raw line
  };

  void Begin(std::string_view head);
  void Block(const MarkedBlock& block);
  void Range(std::string_view block, int64_t offset);
  size_t NextLook(std::string_view block, size_t from);
  size_t CountTo(std::string_view block, size_t from, size_t to);
  template <typename Use>
  void ForEachPart(const Raw& raw, Use use);
  void Look(const Raw& raw);
  void KeepTail(std::string_view block, int64_t offset, int64_t lines_after);
  void EmitOpenings(const MarkedBlock& block, int64_t first_line);

  void TakeApart(const Raw& raw, const std::function<void(Line*)>& use);
  bool Unwrap(std::string_view text, const JsonLine* json, Line* out);
  void NameUnit(const Prefixed& prefixed, LogLine* line) const;
  bool Join(bool partial, Line* out);
  void ReadTime(const Prefixed& prefixed, LogLine* line);
  void CountMisses();
  void SwitchOffGreedy();
  void Replenish(size_t bytes, bool begins_part);
  void Emit(Line* line);
  void Match(const Line& line);
  bool MatchedBefore(const std::string& text);
  void EmitHits(Line* line, const std::vector<size_t>& but);
  bool Fold(Line* line);
  bool GoesOn(const Line& line);
  bool IsFull() const;
  void EmitFolded();
  void EmitPieces(std::vector<Line> pieces, const std::string& broken);
  void MatchWords(std::string_view text);
  void SendTail();

  const rules::SignatureSet& signatures_;
  const LogLimits& limits_;
  rules::MatchBudget* budget_;
  LogSink* sink_;
  size_t source_;
  LogSource facts_;
  LogClock clock_;
  Thinner thinner_;
  Repeats repeats_;
  Openings openings_;
  bool has_error_ = false;
  PrefixProfile profile_;
  bool look_at_all_ = false;  // parse all lines, because their text is encoded

  const rules::SignatureSet::Marks* marks_ = nullptr;  // of this block
  size_t range_ = 0;  // where the range begins in the block
  int64_t next_stretch_ = 0;
  // The next position of each kind in this range; npos: none. Outdated if
  // before the current position.
  size_t candidate_ = 0;
  size_t escape_ = 0;
  size_t backspace_ = 0;
  size_t nul_ = 0;

  std::vector<rules::SignatureHit> hits_;
  std::vector<size_t> tried_;
  struct Matched {
    std::string text;
    rules::SignatureSet::Muted muted;
    std::vector<rules::SignatureHit> hits;
    std::vector<size_t> tried;
  };
  Matched last_;
  Line pending_;  // a partial line of a container's log
  bool has_pending_ = false;
  Folds folds_;
  std::vector<Line> folded_;  // pieces of a line that may continue
  std::string broken_;        // their text as one, if they are a broken message
  size_t kept_ = 0;           // in repeats_, the first of them
  struct TailLine {
    std::string text;
    int64_t offset;
    int64_t number;
  };
  std::deque<TailLine> tail_;
};

}  // namespace inquest::ingest
