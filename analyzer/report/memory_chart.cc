// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/memory_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/memory/timeline/timeline.h"
#include "analyzer/report/report.h"
#include "base/capped.h"
#include "base/units.h"

namespace inquest::report {
namespace {

constexpr int64_t kMaxEventsReadAgain = 1'000'000;
constexpr size_t kWidest = 100;
constexpr size_t kBesides = 4 + 10 + 2;  // the indent, a size, the axis
constexpr size_t kFewestColumns = 16;
constexpr size_t kRows = 4;
constexpr size_t kMaxRefusals = 10'000;

struct Marks {
  std::vector<std::string_view> levels;  // of a cell, from empty to full
  std::string_view top, axis, corner, floor, refused;
};

const Marks& MarksOf(bool ascii) {
  static const Marks unicode = {
      {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "┤", "│", "└", "─", "×"};
  static const Marks plain = {{" ", ".", ":", "#"}, "+", "|", "+", "-", "x"};
  return ascii ? plain : unicode;
}

struct Span {
  int64_t begin = 0;
  int64_t length = 1;
};

Span SpanOf(const MemoryCurve& curve) {
  Span span{curve.moments.front().begin, 1};
  int64_t end = curve.moments.back().end;
  if (!curve.refusals.empty()) end = std::max(end, curve.refusals.back());
  span.length = std::max<int64_t>(SubtractCapped(end, span.begin), 1);
  return span;
}

size_t ColumnOf(int64_t time, const Span& span, size_t columns) {
  const auto part = static_cast<double>(SubtractCapped(time, span.begin)) /
                    static_cast<double>(span.length);
  const auto column = static_cast<int64_t>(part * static_cast<double>(columns));
  return static_cast<size_t>(
      std::clamp<int64_t>(column, 0, static_cast<int64_t>(columns) - 1));
}

// The most that was held in the time of each column.
std::vector<int64_t> Heights(const MemoryCurve& curve, const Span& span,
                             size_t columns) {
  std::vector<int64_t> heights(columns, 0);
  int64_t held = 0;  // before the moment
  size_t from = 0;
  const auto raise = [&](size_t first, size_t last, int64_t value) {
    for (size_t i = first; i <= last; ++i) {
      heights[i] = std::max(heights[i], value);
    }
  };
  for (const memory::Moment& one : curve.moments) {
    const size_t begin = ColumnOf(one.begin, span, columns);
    const size_t end = std::max(ColumnOf(one.end, span, columns), begin);
    raise(std::min(from, begin), begin, held);
    raise(begin, end, one.high);
    held = one.last;
    from = end;
  }
  raise(from, columns - 1, held);
  return heights;
}

// The mark for the part of a height that lies in a row, which counts from the
// bottom.
std::string_view CellOf(int64_t height, int64_t most, size_t row,
                        const Marks& marks) {
  const auto full = static_cast<double>(marks.levels.size() - 1);
  const double in_rows = static_cast<double>(height) /
                         static_cast<double>(std::max<int64_t>(most, 1)) *
                         static_cast<double>(kRows);
  const double part =
      std::clamp(in_rows - static_cast<double>(row), 0.0, 1.0) * full;
  // What is held at all is seen.
  const bool seen = row == 0 && height > 0 && part < 1;
  return marks.levels[seen ? 1 : static_cast<size_t>(part + 0.5)];
}

std::string Floor(const MemoryCurve& curve, const Span& span, size_t columns,
                  const Marks& marks) {
  std::vector<std::string_view> cells(columns, marks.floor);
  for (const int64_t time : curve.refusals) {
    cells[ColumnOf(time, span, columns)] = marks.refused;
  }
  std::string text;
  for (const std::string_view cell : cells) text += cell;
  return text;
}

std::string Legend(const MemoryCurve& curve, const Span& span,
                   const Marks& marks) {
  const std::string begin = FormatTime(span.begin);
  const size_t clock = begin.find(' ') + 1;
  std::string text = fmt::format("from {} UTC, for {}", begin.substr(clock, 8),
                                 FormatDuration(span.length));
  if (!curve.refusals.empty())
    text += fmt::format("; {} refused", marks.refused);
  return text;
}

}  // namespace

std::string DrawMemory(const MemoryCurve& curve, size_t width, bool ascii) {
  const size_t whole = std::min(width, kWidest);
  if (curve.moments.empty() || whole < kBesides + kFewestColumns) return {};
  const size_t columns = whole - kBesides;
  const Span span = SpanOf(curve);
  const Marks& marks = MarksOf(ascii);
  const std::vector<int64_t> heights = Heights(curve, span, columns);
  std::string text;
  for (size_t row = kRows; row-- > 0;) {
    const bool top = row + 1 == kRows;
    text +=
        fmt::format("    {:>10} {}", top ? FormatBytes(curve.most_bytes) : "",
                    top ? marks.top : marks.axis);
    for (const int64_t height : heights) {
      text += CellOf(height, curve.most_bytes, row, marks);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  text += fmt::format("    {:>10} {}{}\n", "0 B", marks.corner,
                      Floor(curve, span, columns, marks));
  return text + fmt::format("    {:>10} {}\n", "", Legend(curve, span, marks));
}

namespace {

const DeviceSummary* DeviceToDraw(const findings::Diagnosis& diagnosis,
                                  const Summary& summary) {
  const DeviceSummary* drawn = nullptr;
  const findings::Unit unit =
      diagnosis.verdict.finding
          ? diagnosis.findings[*diagnosis.verdict.finding].unit
          : findings::Unit{};
  for (const DeviceSummary& one : summary.devices) {
    if (unit.process == one.process && unit.device == one.device) return &one;
    if (drawn == nullptr || one.peak_bytes > drawn->peak_bytes) drawn = &one;
  }
  // Another device's memory says nothing of this one's.
  return unit.process && unit.device ? nullptr : drawn;
}

Status ReadRefusals(facts::Store* store, MemoryCurve* curve) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(
          "SELECT time FROM oom WHERE process = ?1 AND device = ?2 AND source "
          "= 'trace' AND time IS NOT NULL ORDER BY time DESC LIMIT " +
          std::to_string(kMaxRefusals)));
  row.BindAll(curve->process, curve->device);
  for (int64_t time = 0; row.Next(&time);) curve->refusals.push_back(time);
  std::ranges::reverse(curve->refusals);
  return row.status();
}

// As the replay noted it; it notes those of the first processes only.
Expected<memory::Timeline> TimelineOf(facts::Store* store,
                                      const ReportInput& input, int process) {
  if (input.timelines != nullptr) {
    const auto noted = input.timelines->find(process);
    if (noted != input.timelines->end()) return noted->second;
  }
  if (input.summary.events > kMaxEventsReadAgain) return memory::Timeline();
  return memory::ReadTimeline(store, process, kChartPoints);
}

}  // namespace

Expected<std::optional<MemoryCurve>> ReadMemoryCurve(facts::Store* store,
                                                     const ReportInput& input) {
  const Summary& summary = input.summary;
  const DeviceSummary* device = DeviceToDraw(*input.diagnosis, summary);
  if (device == nullptr || device->one_moment || summary.events == 0) {
    return std::optional<MemoryCurve>();
  }
  MemoryCurve curve;
  curve.process = device->process;
  curve.device = device->device;
  const int64_t capacity = device->capacity_bytes.value_or(0);
  // Of a device that stays half empty, the lower half would be all there is.
  curve.most_bytes =
      device->peak_bytes > capacity / 2 ? capacity : device->peak_bytes;
  ASSIGN_OR_RETURN(const memory::Timeline timeline,
                   TimelineOf(store, input, static_cast<int>(curve.process)));
  const auto line = timeline.devices.find(static_cast<int>(curve.device));
  if (line == timeline.devices.end()) return std::optional<MemoryCurve>();
  const bool driver = !line->second.held.moments().empty();
  curve.moments =
      driver ? line->second.held.moments() : line->second.pool.moments();
  if (curve.moments.size() < 2) return std::optional<MemoryCurve>();
  for (const memory::Moment& one : curve.moments) {
    curve.most_bytes = std::max(curve.most_bytes, one.high);
  }
  RETURN_IF_ERROR(ReadRefusals(store, &curve));
  return std::optional<MemoryCurve>(std::move(curve));
}

}  // namespace inquest::report
