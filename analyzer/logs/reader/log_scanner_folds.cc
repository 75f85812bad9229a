// SPDX-License-Identifier: Apache-2.0
// Puts lines together that a terminal or an editor broke; see log_scanner.h.

#include <algorithm>
#include <utility>

#include "analyzer/logs/reader/log_scanner.h"
#include "analyzer/logs/reader/log_wraps.h"

namespace inquest::ingest {
namespace {

constexpr size_t kMaxPieces = 32;  // of a line that a terminal folded

}  // namespace

// Whether the line is the rest of those that are kept.
bool LogScanner::GoesOn(const Line& line) {
  const Line& last = folded_.back();
  if (last.line.number + 1 != line.line.number) return false;
  const bool bare = line.text.size() == line.width;  // without a prefix
  if (broken_.empty()) {
    return bare && Continues(last.text, line.text, folds_.sure);
  }
  if (!bare && line.line.rank != last.line.rank) return false;
  auto joined = JoinBroken(broken_, line.text);
  if (joined) broken_ = std::move(*joined);
  return joined.has_value();
}

// Whether no further line can belong to those that are kept.
bool LogScanner::IsFull() const {
  return broken_.empty() ? folded_.back().width < folds_.width
                         : EndsBrokenMessage(broken_);
}

// True if the line was kept because it may continue or belongs to a line that
// does.
bool LogScanner::Fold(Line* line) {
  // No terminal was that narrow; Python draws its underlines itself.
  if (line->width > folds_.width && !IsUnderline(line->text)) folds_ = {};
  if (!folded_.empty()) {
    const bool goes_on = folded_.size() < kMaxPieces && GoesOn(*line);
    if (!goes_on) EmitFolded();
    if (goes_on) {
      folded_.push_back(std::move(*line));
      if (IsFull()) EmitFolded();
      return true;
    }
  }
  const bool broken =
      !profile_.cri && !profile_.json_lines && BeginsBrokenMessage(line->text);
  if (broken) broken_ = line->text;
  if (!broken && (folds_.width == 0 || line->width != folds_.width)) {
    return false;
  }
  folded_.push_back(std::move(*line));
  kept_ = repeats_.last();
  return true;
}

// The whole line contains all its pieces. If only its length suggests a fold,
// the pieces come first.
void LogScanner::EmitFolded() {
  std::vector<Line> pieces = std::exchange(folded_, {});
  const std::string broken = std::exchange(broken_, {});
  if (pieces.empty()) return;
  const size_t now = repeats_.last();
  repeats_.Resume(kept_);
  EmitPieces(std::move(pieces), broken);
  repeats_.Resume(now);
}

void LogScanner::EmitPieces(std::vector<Line> pieces,
                            const std::string& broken) {
  const bool sure = folds_.sure || !broken.empty();
  if (pieces.size() == 1) return Emit(&pieces.front());
  Line whole = pieces.front();
  for (size_t i = 1; i < pieces.size(); ++i) whole.text += pieces[i].text;
  if (!broken.empty()) whole.text = broken;
  std::vector<size_t> known;  // signatures of the first one
  const auto emit_first = [&](Line* line) {
    Match(*line);
    for (const auto& hit : hits_) known.push_back(hit.signature);
    EmitHits(line, {});
  };
  if (sure) emit_first(&whole);
  for (Line& piece : pieces) {
    if (!sure) {
      emit_first(&piece);
      continue;
    }
    Match(piece);
    EmitHits(&piece, known);
  }
  if (sure) return;
  Match(whole);
  EmitHits(&whole, known);
}

}  // namespace inquest::ingest
