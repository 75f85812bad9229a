#include "analyzer/facts/tracebacks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/optional_column.h"

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
  Frame first;  // its own, then that of the user
  std::optional<Frame> own;
  int64_t last_line = 0;
  int64_t frames = 0;

  int64_t Reach() const { return last_line + (first.rank ? kGapOfRank : kGap); }
};

// The line with the exception parts one traceback from the next.
Expected<int64_t> EndsBetween(Store* store, const Traceback& open,
                              const Frame& next) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT count(*) FROM store_log_event WHERE source = ? AND line > ? "
          "AND line < ? AND rank IS ? AND role IN ('cause', 'symptom')"));
  row.Bind(0, open.first.source).Bind(1, open.last_line).Bind(2, next.line);
  BindOptional(&row, 3, open.first.rank);
  return row.Step() ? Expected<int64_t>(row.Int(0)) : row.status();
}

Status Keep(Store* store, const Traceback& one) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "INSERT INTO store_traceback SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
          "(SELECT id FROM store_log_event WHERE source = ?1 AND line > ?3 AND "
          "line <= ?9 AND rank IS ?4 AND role IN ('cause', 'symptom') "
          "ORDER BY line, id LIMIT 1)"));
  row.Bind(0, one.first.source).Bind(1, one.first.line).Bind(2, one.last_line);
  BindOptional(&row, 3, one.first.rank);
  row.Bind(4, one.frames);
  if (one.own) {
    row.Bind(5, one.own->file).Bind(7, one.own->function);
    BindOptional(&row, 6, one.own->file_line);
  }
  row.Bind(8, one.Reach());
  return row.Run();
}

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

void Add(Frame frame, Traceback* to) {
  to->last_line = frame.line;
  ++to->frames;
  if (IsOwnCode(frame.file)) to->own = std::move(frame);
}

}  // namespace

bool IsOwnCode(std::string_view file) {
  constexpr std::string_view kForeign[] = {
      "/site-packages/", "/dist-packages/", "/lib/python", "\\lib\\",
      "/importlib/",     ".runfiles/",      "/bazel-out/", "torch/csrc/",
      "/runpy.py",       "site-packages\\"};
  if (file.empty() || file.starts_with('<') || file.ends_with(".pyx")) {
    return file.starts_with("<ipython");
  }
  return std::none_of(
      std::begin(kForeign), std::end(kForeign),
      [&](std::string_view part) { return file.find(part) != file.npos; });
}

Status CollectTracebacks(Store* store) {
  ASSIGN_OR_RETURN(const std::vector<Frame> frames, ReadFrames(store));
  std::optional<Traceback> open;
  for (const Frame& frame : frames) {
    bool goes_on = open && open->first.source == frame.source &&
                   open->first.rank == frame.rank &&
                   frame.line <= open->Reach();
    if (goes_on) {
      ASSIGN_OR_RETURN(const int64_t ends, EndsBetween(store, *open, frame));
      goes_on = ends == 0;
    }
    if (!goes_on) {
      if (open) RETURN_IF_ERROR(Keep(store, *open));
      open = Traceback{frame, {}, frame.line, 0};
    }
    Add(frame, &*open);
  }
  return open ? Keep(store, *open) : Status::Ok();
}

}  // namespace inquest::facts
