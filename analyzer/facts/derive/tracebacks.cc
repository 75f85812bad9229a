#include "analyzer/facts/derive/tracebacks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/optional_column.h"

namespace inquest::facts {
namespace {

// Lines from one frame to the next, and from the last one to the exception: the
// source, carets and a blank. Between those of one rank lie other ranks' lines.
constexpr int64_t kGap = 5;
constexpr int64_t kGapOfRank = 200;

struct Frame {
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> rank;
  std::string file;
  std::optional<int64_t> file_line;
  std::string function;
};

struct Traceback {
  Frame first;
  std::optional<Frame> own;  // the innermost of the user's own code
  int64_t last_line = 0;
  int64_t frames = 0;

  int64_t Reach() const { return last_line + (first.rank ? kGapOfRank : kGap); }
};

// Both statements are compiled once: there may be a frame for every line.
class Gatherer {
 public:
  static Expected<Gatherer> Make(Store* store) {
    Gatherer gatherer;
    ASSIGN_OR_RETURN(
        gatherer.ends_,
        store->db().Prepare(
            "SELECT count(*) FROM store_log_event WHERE source = ? AND "
            "line > ? AND line < ? AND rank IS ? AND "
            "role IN ('cause', 'symptom')"));
    ASSIGN_OR_RETURN(
        gatherer.keep_,
        store->db().Prepare(
            "INSERT INTO store_traceback SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, "
            "?8, (SELECT id FROM store_log_event WHERE source = ?1 AND "
            "line > ?3 AND line <= ?9 AND rank IS ?4 AND "
            "role IN ('cause', 'symptom') ORDER BY line, id LIMIT 1)"));
    return gatherer;
  }

  Status Add(const Frame& frame) {
    ASSIGN_OR_RETURN(const bool goes_on, GoesOn(frame));
    if (!goes_on) {
      RETURN_IF_ERROR(Finish());
      open_ = Traceback{frame, {}, frame.line, 0};
    }
    open_->last_line = frame.line;
    ++open_->frames;
    if (IsOwnCode(frame.file)) open_->own = frame;
    return Status::Ok();
  }

  Status Finish() {
    if (!open_) return Status::Ok();
    const Traceback& one = *open_;
    keep_.Bind(0, one.first.source).Bind(1, one.first.line);
    keep_.Bind(2, one.last_line).Bind(4, one.frames).Bind(8, one.Reach());
    BindOptional(&keep_, 3, one.first.rank);
    if (one.own) {
      keep_.Bind(5, one.own->file).Bind(7, one.own->function);
      BindOptional(&keep_, 6, one.own->file_line);
    } else {
      keep_.BindNull(5).BindNull(6).BindNull(7);
    }
    return keep_.Run();
  }

 private:
  // The line with the exception parts one traceback from the next.
  Expected<bool> GoesOn(const Frame& frame) {
    if (!open_ || open_->first.source != frame.source ||
        open_->first.rank != frame.rank || frame.line > open_->Reach()) {
      return false;
    }
    ends_.Bind(0, frame.source).Bind(1, open_->last_line).Bind(2, frame.line);
    BindOptional(&ends_, 3, frame.rank);
    const bool any = ends_.Step() && ends_.Int(0) > 0;
    const Status status = ends_.status();
    ends_.Reset();
    if (!status.ok()) return status;
    return !any;
  }

  Statement ends_;
  Statement keep_;
  std::optional<Traceback> open_;
};

Expected<std::vector<Frame>> ReadFrames(Store* store) {
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare(
                       "SELECT source, line, rank, file, file_line, function "
                       "FROM store_log_frame ORDER BY source, rank, line"));
  std::vector<Frame> frames;
  while (row.Step()) {
    frames.push_back({row.Int(0), row.Int(1), Column(row, 2),
                      std::string(row.Text(3)), Column(row, 4),
                      std::string(row.Text(5))});
  }
  RETURN_IF_ERROR(row.status());
  return frames;
}

}  // namespace

bool IsOwnCode(std::string_view file) {
  constexpr std::string_view kForeign[] = {
      "/site-packages/", "/dist-packages/", "/lib/python", "\\lib\\",
      "/importlib/",     ".runfiles/",      "/bazel-out/", "torch/csrc/",
      "/runpy.py",       "site-packages\\"};
  // PyTorch's profiler names files from the folder of packages on.
  if (file.starts_with("torch/")) return false;
  if (file.empty() || file.starts_with('<') || file.ends_with(".pyx")) {
    return file.starts_with("<ipython");
  }
  return std::none_of(
      std::begin(kForeign), std::end(kForeign),
      [&](std::string_view part) { return file.find(part) != file.npos; });
}

Status CollectTracebacks(Store* store) {
  ASSIGN_OR_RETURN(const std::vector<Frame> frames, ReadFrames(store));
  ASSIGN_OR_RETURN(Gatherer gatherer, Gatherer::Make(store));
  for (const Frame& frame : frames) RETURN_IF_ERROR(gatherer.Add(frame));
  return gatherer.Finish();
}

}  // namespace inquest::facts
