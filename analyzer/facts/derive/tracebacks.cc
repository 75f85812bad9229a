// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/tracebacks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/derive/own_code.h"
#include "analyzer/facts/derive/traceback_place.h"
#include "analyzer/facts/store/log_rows.h"
#include "base/rows.h"

namespace inquest::facts {
namespace {

// Maximum lines from one frame to the next, and from the last one to the
// exception: the source (since Python 3.13 a call's five lines), carets below
// each and a blank. Lines of other ranks may be in between.
constexpr int64_t kGap = 12;
constexpr int64_t kGapOfRank = 200;
constexpr int64_t kGapOfMixed = 2;   // a frame's source stands in between
constexpr size_t kMaxLooked = 1024;  // of one traceback that are looked at

// As the line above the first frame says it. Other threads of a process that
// crashed stand in its dump, too.
enum class Order : uint8_t { kOutermostFirst, kInnermostFirst, kOtherThread };

struct Traceback {
  LogFrame first;
  std::optional<LogFrame> own;  // the innermost in the user's own code
  int64_t last_line = 0;
  int64_t frames = 0;
  std::vector<LogFrame> all = {};  // outermost first
  bool mixed = false;              // with that of another process
  Order order = Order::kOutermostFirst;

  int64_t Reach() const { return last_line + (first.rank ? kGapOfRank : kGap); }
};

// Whose traceback a frame is part of.
enum class PartOf : uint8_t { kThis, kNext, kMixed };

// The statements are compiled once: nearly every line may be a frame.
class Gatherer {
 public:
  static Expected<Gatherer> Make(Store* store) {
    Gatherer gatherer;
    ASSIGN_OR_RETURN(
        gatherer.ends_,
        store->db().Prepare(
            "SELECT coalesce(max(line), 0), coalesce(max(signature = "
            "'python.traceback' OR signature GLOB 'python.stack-*' OR text "
            "LIKE '%most recent call%' OR text "
            "LIKE '%ray::%'), 0) FROM store_log_event WHERE source = ? AND "
            "line > ? AND line < ? AND rank IS ? AND "
            "(role IN ('cause', 'symptom') OR signature GLOB "
            "'python.stack-*')"));
    ASSIGN_OR_RETURN(
        gatherer.head_,
        store->db().Prepare("SELECT signature FROM store_log_event WHERE "
                            "source = ?1 AND line >= ?2 - 4 AND line < ?2 AND "
                            "signature GLOB 'python.stack-*' "
                            "ORDER BY line DESC LIMIT 1"));
    // What a dump of all threads is about stands above the first of them.
    ASSIGN_OR_RETURN(
        gatherer.above_,
        store->db().Prepare(
            "SELECT max(line) FROM store_log_event WHERE source = ?1 AND "
            "line < ?2 AND line >= ?2 - 400 AND role IN ('cause', 'symptom')"));
    ASSIGN_OR_RETURN(
        gatherer.keep_,
        store->db().Prepare(
            "INSERT INTO store_traceback SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, "
            "?8, (SELECT id FROM store_log_event WHERE source = ?1 AND "
            "line > ?3 AND line <= ?9 AND rank IS ?4 AND "
            "role IN ('cause', 'symptom') ORDER BY line, id LIMIT 1), "
            "?10, ?11"));
    ASSIGN_OR_RETURN(
        gatherer.backward_,
        store->db().Prepare(
            "SELECT 1 FROM store_log_event WHERE source = ?1 AND line > ?2 AND "
            "line < (SELECT min(line) FROM store_log_event WHERE source = ?1 "
            "AND line > ?2 AND line <= ?3 AND role IN ('cause', 'symptom')) "
            "AND signature = 'torch.backward-call'"));
    ASSIGN_OR_RETURN(
        gatherer.source_,
        store->db().Prepare("SELECT text FROM store_log_line WHERE source = ? "
                            "AND line = ?"));
    return gatherer;
  }

  Status Add(const LogFrame& frame) {
    ASSIGN_OR_RETURN(const PartOf part, PartOfWhich(frame));
    if (part != PartOf::kThis) {
      const bool mixed = part == PartOf::kMixed;
      if (mixed) open_->mixed = true;
      RETURN_IF_ERROR(Finish());
      open_ = Traceback{frame, {}, frame.line, 0};
      open_->mixed = mixed;
      open_->order = OrderBelow(frame);
    }
    open_->last_line = frame.line;
    ++open_->frames;
    if (IsOwnCode(frame.file)) open_->own = frame;
    if (open_->all.size() < kMaxLooked) open_->all.push_back(frame);
    return Status::Ok();
  }

  Status Finish() {
    if (!open_ || open_->order == Order::kOtherThread) return Status::Ok();
    if (open_->order == Order::kInnermostFirst || IsUpsideDown()) TurnRound();
    NameHiddenCalls();
    const LogFrame& first = open_->first;
    std::optional<std::string> file, function;
    std::optional<int64_t> line;
    auto phase = PhaseOf(open_->all);
    // Anomaly detection prints the frames of the forward pass, too.
    const bool of_forward = phase != "backward" && EndsInBackward();
    if (of_forward) phase = "backward";
    // Whose frames these are, nobody can tell.
    if (open_->mixed) phase.reset();
    if (open_->mixed || of_forward) {
      open_->own.reset();
      open_->all.clear();
    }
    if (open_->own) {
      file = open_->own->file;
      line = open_->own->file_line;
      function = open_->own->function;
    }
    auto place = PlaceOf(open_->all);
    if (!place && !phase) place = CoreOf(open_->all);
    return keep_.Run(first.source, first.line, open_->last_line, first.rank,
                     open_->frames, file, line, function, open_->Reach(), phase,
                     place);
  }

 private:
  Order OrderBelow(const LogFrame& frame) {
    head_.BindAll(frame.source, frame.line);
    std::string signature;
    const bool found = head_.Next(&signature);
    head_.Reset();
    if (!found && frame.dumped) return OrderOfCutDump(frame);
    if (!found) return Order::kOutermostFirst;
    return signature == "python.stack-other" ? Order::kOtherThread
                                             : Order::kInnermostFirst;
  }

  // A dump whose first lines are missing is the crashed thread's if what it is
  // about stands above.
  Order OrderOfCutDump(const LogFrame& frame) {
    return LineAbove(frame) ? Order::kInnermostFirst : Order::kOtherThread;
  }

  // The last line above that says what went wrong.
  std::optional<int64_t> LineAbove(const LogFrame& frame) {
    above_.BindAll(frame.source, frame.line);
    std::optional<int64_t> line;
    above_.Next(&line);
    above_.Reset();
    return line;
  }

  // Without a head that says so: the last frame is the module's own, and its
  // line calls the function of the one above.
  bool IsUpsideDown() {
    const std::vector<LogFrame>& all = open_->all;
    if (all.size() < 2 || all.back().function != "<module>" ||
        all.front().function == "<module>") {
      return false;
    }
    const std::string call = all[all.size() - 2].function + '(';
    return SourceBelow(all.back()).find(call) != std::string::npos;
  }

  std::string SourceBelow(const LogFrame& frame) {
    source_.BindAll(frame.source, frame.line + 1);
    std::string text;
    source_.Next(&text);
    source_.Reset();
    return text;
  }

  void TurnRound() {
    std::ranges::reverse(open_->all);
    open_->own.reset();
    for (const LogFrame& frame : open_->all) {
      if (IsOwnCode(frame.file)) open_->own = frame;
    }
    if (const auto line = LineAbove(open_->first)) {
      open_->first.line = *line + 1;
    }
  }

  // What was called where a library hid its frames: the line of source below
  // the caller's frame says it, if the log's last lines have it.
  void NameHiddenCalls() {
    for (size_t i = 1; i < open_->all.size(); ++i) {
      if (!HidesFrames(open_->all[i])) continue;
      open_->all[i].function = OnlyCall(SourceBelow(open_->all[i - 1]));
      if (open_->all[i].function.empty()) open_->all[i].function = "<hidden>";
    }
  }

  // Whether the engine of the backward pass was called below the last frame.
  bool EndsInBackward() {
    backward_.BindAll(open_->first.source, open_->last_line, open_->Reach());
    const bool found = backward_.Step();
    backward_.Reset();
    return found;
  }

  // The line with the exception separates one traceback from the next, and its
  // first line begins that one. Without such a line, two processes wrote at
  // once.
  Expected<PartOf> PartOfWhich(const LogFrame& frame) {
    if (!open_ || open_->first.source != frame.source ||
        open_->first.rank != frame.rank || frame.line > open_->Reach()) {
      return PartOf::kNext;
    }
    ends_.BindAll(frame.source, open_->last_line, frame.line, frame.rank);
    int64_t last_exception = 0;
    bool begins = false;
    ends_.Next(&last_exception, &begins);
    const Status status = ends_.status();
    ends_.Reset();
    if (!status.ok()) return status;
    if (last_exception == 0) return PartOf::kThis;
    const bool near = frame.line <= last_exception + kGapOfMixed;
    return near && !begins && !frame.rank ? PartOf::kMixed : PartOf::kNext;
  }

  Statement ends_;
  Statement head_;
  Statement above_;
  Statement keep_;
  Statement source_;
  Statement backward_;
  std::optional<Traceback> open_;
};

// Whether the log goes on below a traceback: then its end was kept, whether a
// signature knows its last line or not.
Status MarkKeptEnds(Store* store) {
  constexpr const char* kMark =
      "UPDATE store_log_event SET figures = json_set(figures, '$.goes_on', 1) "
      "WHERE signature = 'python.traceback' AND (source, line) IN (SELECT "
      "t.source, t.line - d.n FROM store_traceback AS t JOIN store_log_source "
      "AS s USING (source), (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT "
      "3) AS d WHERE s.lines > t.last_line + 2)";
  return store->db().Execute(kMark);
}

}  // namespace

Status CollectTracebacks(Store* store) {
  ASSIGN_OR_RETURN(auto frames,
                   SelectRows<LogFrame>(&store->db(),
                                        "FROM store_log_frame "
                                        "ORDER BY source, rank, line"));
  ASSIGN_OR_RETURN(Gatherer gatherer, Gatherer::Make(store));
  for (LogFrame frame; frames.Next(&frame);) {
    RETURN_IF_ERROR(gatherer.Add(frame));
  }
  RETURN_IF_ERROR(frames.statement().status());
  RETURN_IF_ERROR(gatherer.Finish());
  return MarkKeptEnds(store);
}

}  // namespace inquest::facts
