// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_scanner.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "analyzer/logs/reader/log_input.h"
#include "analyzer/logs/reader/log_text.h"

namespace inquest::ingest {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr size_t kProfileBytes = 256 << 10;
constexpr int64_t kFirstLines = 64;  // parsed for their time
constexpr size_t kEndBytes = 4 << 10;
constexpr int64_t kAtEnd = kEndBytes;   // the maximum possible
constexpr size_t kTailBytes = 8 << 10;  // of one line of the tail

size_t Find(std::string_view block, char c, size_t from) {
  const void* at = from < block.size() ? std::memchr(block.data() + from, c,
                                                     block.size() - from)
                                       : nullptr;
  return at == nullptr
             ? kNone
             : static_cast<size_t>(static_cast<const char*>(at) - block.data());
}

// Of a stretch that begins there. One of them is a small part of what precedes
// it, so that a long log has not many more than a short one.
int64_t StretchBytes(int64_t offset) {
  return std::max<int64_t>(64 << 10, offset / 256);
}

}  // namespace

LogScanner::LogScanner(size_t source, LogSource facts, int64_t mtime_ns,
                       const rules::SignatureSet& signatures,
                       const LogLimits& limits, rules::MatchBudget* budget,
                       LogSink* sink)
    : signatures_(signatures),
      limits_(limits),
      budget_(budget),
      sink_(sink),
      source_(source),
      facts_(std::move(facts)),
      clock_(mtime_ns),
      thinner_(signatures, limits.most_repeats),
      repeats_(limits.most_alike) {}

void LogScanner::Run(ByteStream* bytes) {
  BlockQueue blocks(bytes, static_cast<size_t>(limits_.max_line_bytes),
                    signatures_);
  sink_->OnProgress(facts_.path, 0);
  while (const MarkedBlock* block = blocks.Next()) {
    if (block->offset == 0) {
      Begin(std::string_view(block->text).substr(0, kProfileBytes));
    }
    const int64_t first_line = facts_.lines + 1;
    Block(*block);
    EmitOpenings(*block, first_line);
    sink_->OnBlock(source_, {block->text, block->offset, first_line}, profile_);
    sink_->OnProgress(facts_.path, block->bytes_read);
  }
  EmitFolded();
  if (has_pending_) Emit(&pending_);
  has_pending_ = false;
  const ByteStream::Fault& fault = bytes->fault();
  facts_.kind = profile_.kernel ? "kernel" : "app";
  facts_.bytes = blocks.bytes();
  facts_.lines += blocks.ends_within_line() ? 1 : 0;
  facts_.truncated = fault.truncated || blocks.ends_within_line();
  facts_.incomplete = fault.incomplete;
  facts_.note = fault.note;
  facts_.thinned = thinner_.thinned();
  SendTail();
  sink_->OnSource(source_, facts_);
}

void LogScanner::Begin(std::string_view head) {
  profile_ = ProfileOf(head);
  look_at_all_ = profile_.cri || profile_.json_lines;
  if (!look_at_all_) folds_ = FoldsOf(head);
  look_at_all_ = look_at_all_ || folds_.sure;
  facts_.not_text = IsBinary(head);
  openings_.Begin(head);
  if (!facts_.unit.world) facts_.unit.world = WorldOfText(head);
}

// Before the first error only the log's own beginning matters, and what it
// repeats there because several ranks write into one log.
void LogScanner::EmitOpenings(const MarkedBlock& block, int64_t first_line) {
  const std::optional<size_t> signature = signatures_.run_start();
  if (!signature || (block.offset > 0 && !has_error_)) return;
  for (const Openings::Place& place :
       openings_.Find(block.text, block.offset, first_line)) {
    LogLine line;
    line.text = place.text;
    line.number = place.line;
    line.offset = place.offset;
    Figures figures = signatures_.constants(*signature);
    figures["repeats_opening"] = 1;
    sink_->OnEvent({*signature, source_, line, std::move(figures)});
  }
}

// Scans in ranges. At the beginning of each stretch muted signatures are
// allowed once, at the end of the log always.
void LogScanner::Block(const MarkedBlock& marked) {
  const std::string_view block = marked.text;
  marks_ = &marked.marks;
  for (size_t at = 0; at < block.size();) {
    const size_t left = block.size() - at;
    const bool last = marked.at_end && left <= kEndBytes;
    const auto offset = marked.offset + static_cast<int64_t>(at);
    const int64_t stretch = StretchBytes(offset);
    size_t least = std::min(static_cast<size_t>(stretch), left);
    if (marked.at_end && !last) least = std::min(least, left - kEndBytes);
    const size_t feed = Find(block, '\n', at + least - 1);
    const size_t end = feed == kNone ? block.size() : feed + 1;
    Replenish(end - at, last || offset == 0);
    if (last || offset >= next_stretch_) {
      thinner_.Allow(last ? kAtEnd : 1);
      repeats_.NextStretch(last);
      next_stretch_ = offset + stretch;
    }
    range_ = at;
    Range(block.substr(at, end - at), offset);
    at = end;
  }
  KeepTail(block, marked.offset, facts_.lines);
}

// What was switched off sees the log again once its bytes have made up for it.
void LogScanner::Replenish(size_t bytes, bool begins_part) {
  budget_->CountBytes(bytes);
  if (begins_part) budget_->BeginPart();
  if (!budget_->IsSpent()) thinner_.Resume();
}

// facts_.lines is the number of line feeds before the current position.
void LogScanner::Range(std::string_view block, int64_t offset) {
  candidate_ = escape_ = backspace_ = nul_ = 0;
  size_t at = 0;
  bool looked = false;
  while (at < block.size()) {
    const bool want = look_at_all_ || !looked || !folded_.empty() ||
                      facts_.lines < kFirstLines;
    const size_t look = want ? at : NextLook(block, at);
    const size_t begin = CountTo(block, at, std::min(look, block.size()));
    if (begin >= block.size()) break;
    const size_t end = std::min(Find(block, '\n', begin), block.size());
    Look({block.substr(begin, end - begin),
          offset + static_cast<int64_t>(begin), facts_.lines + 1});
    looked = true;
    facts_.lines += end < block.size();
    at = end + 1;
  }
}

// The next position whose line must be parsed: a literal, or a character that
// may split one.
size_t LogScanner::NextLook(std::string_view block, size_t from) {
  if (candidate_ < from) {
    candidate_ =
        signatures_.NextCandidate(*marks_, range_ + from, thinner_.muted());
    if (candidate_ != kNone) candidate_ -= range_;
  }
  if (escape_ < from) escape_ = Find(block, '\x1b', from);
  if (backspace_ < from) backspace_ = Find(block, '\b', from);
  if (nul_ < from) nul_ = Find(block, '\0', from);
  return std::min({candidate_, escape_, backspace_, nul_});
}

// Counts the lines that end before `to` and returns the start of the line that
// contains `to`. Stops at a line that is too long, so that it is parsed.
size_t LogScanner::CountTo(std::string_view block, size_t from, size_t to) {
  const auto longest = static_cast<size_t>(limits_.max_line_bytes);
  while (from < to) {
    const size_t end = Find(block.substr(0, to), '\n', from);
    if (end == kNone) {
      // At the end of the block: an unfinished line, counted with the next
      // block.
      const bool whole = to == block.size() && to - from <= longest;
      return whole ? to : from;
    }
    if (end - from > longest) return from;
    ++facts_.lines;
    from = end + 1;
  }
  return from;
}

template <typename Use>
void LogScanner::ForEachPart(const Raw& raw, Use use) {
  for (size_t at = 0; at < raw.text.size();) {
    size_t gap = 0;
    const size_t end = EndOfPart(raw.text, at, &gap);
    if (end > at) {
      use(Raw{raw.text.substr(at, end - at),
              raw.offset + static_cast<int64_t>(at), raw.number});
    }
    at = end + std::max<size_t>(gap, 1);
  }
}

void LogScanner::Look(const Raw& raw) {
  // A line that may be a piece of a longer one is not judged by itself.
  // The beginning of a broken message may be: thousands may begin alike.
  const bool whole = folds_.width == 0 &&
                     (folded_.empty() || !broken_.empty()) && !has_pending_ &&
                     !profile_.cri;
  ForEachPart(raw, [&](const Raw& part) {
    if (whole && repeats_.IsRepeat(part.text)) {
      ++facts_.repeats;
      return;
    }
    TakeApart(part, [&](Line* line) {
      facts_.cut_lines += line->line.cut ? 1 : 0;
      if (!Fold(line)) Emit(line);
    });
  });
}

// Backwards from the end of the block, so that the cost does not depend on its
// size.
void LogScanner::KeepTail(std::string_view block, int64_t offset,
                          int64_t lines_after) {
  std::vector<TailLine> found;  // last one first
  int64_t number = lines_after + 1;
  size_t end = block.size();
  while (found.size() < limits_.tail_lines) {
    const size_t feed = end == 0 ? kNone : block.rfind('\n', end - 1);
    const size_t begin = feed == kNone ? 0 : feed + 1;
    if (end > begin) {
      // Keeps the end of a progress bar's line, which says more than its
      // beginning.
      const size_t kept = std::min(end - begin, kTailBytes);
      found.push_back({std::string(block.substr(end - kept, kept)),
                       offset + static_cast<int64_t>(end - kept), number});
    }
    if (feed == kNone) break;
    end = feed;
    --number;
  }
  tail_.insert(tail_.end(), std::make_move_iterator(found.rbegin()),
               std::make_move_iterator(found.rend()));
  while (tail_.size() > limits_.tail_lines) tail_.pop_front();
}

void LogScanner::SendTail() {
  std::deque<Line> lines;
  for (const TailLine& raw : tail_) {
    ForEachPart({raw.text, raw.offset, raw.number}, [&](const Raw& part) {
      TakeApart(part, [&](Line* line) {
        if (line->text.empty()) return;
        lines.push_back(std::move(*line));
        if (lines.size() > limits_.tail_lines) lines.pop_front();
      });
    });
  }
  std::vector<LogLine> tail;
  for (Line& line : lines) {
    line.line.text = line.text;
    tail.push_back(line.line);
  }
  sink_->OnTail(source_, tail);
}

}  // namespace inquest::ingest
