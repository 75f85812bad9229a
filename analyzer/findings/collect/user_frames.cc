// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/user_frames.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace inquest::findings {
namespace {

struct Span {
  int64_t first = 0;  // lines
  int64_t last = 0;
  std::optional<std::string> frame, phase, place;
};

using Spans = std::map<int64_t, std::vector<Span>>;  // by source, in order

// From the line above the first frame ("Traceback …") to the exception's line.
constexpr char kTracebacks[] =
    "SELECT t.source, t.line - 1, coalesce(e.line, t.last_line + 1), "
    "CASE WHEN t.file IS NOT NULL THEN t.file || "
    "coalesce(':' || t.file_line, '') || ' in ' || t.function END, "
    "t.phase, t.place FROM store_traceback AS t "
    "LEFT JOIN store_log_event AS e ON e.id = t.event "
    "WHERE t.place IS NOT NULL OR t.phase IS NOT NULL "
    "ORDER BY t.source, t.line";

// The message stands above a C++ stack, with remarks or a dozen lines of source
// in between.
constexpr char kNativeStacks[] =
    "SELECT source, line - 16, last_line + 1, NULL, NULL, place FROM "
    "store_native_stack ORDER BY source, line";

Expected<Spans> ReadSpans(facts::Store* store, const char* query) {
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(query));
  Spans spans;
  int64_t source = 0;
  for (Span span; row.Next(&source, &span.first, &span.last, &span.frame,
                           &span.phase, &span.place);) {
    spans[source].push_back(span);
  }
  RETURN_IF_ERROR(row.status());
  return spans;
}

// Tracebacks of several ranks may overlap; the line belongs to the one that
// ends first after it.
const Span* SpanAround(const std::vector<Span>& spans, int64_t line) {
  const Span* found = nullptr;
  const auto end = std::partition_point(
      spans.begin(), spans.end(),
      [&](const Span& span) { return span.first <= line; });
  constexpr std::ptrdiff_t kMaxNested = 64;
  const auto begin = end - std::min(kMaxNested, end - spans.begin());
  for (auto at = begin; at != end; ++at) {
    if (at->last < line) continue;
    if (found == nullptr || at->last < found->last) found = &*at;
  }
  return found;
}

void AddFrames(const Span& span, Figures* figures) {
  if (span.frame) MergeFigures(figures, {{"user_frame", *span.frame}});
  if (span.phase) MergeFigures(figures, {{"phase", *span.phase}});
  if (span.place) MergeFigures(figures, {{"place", *span.place}});
}

void AddPlace(const Spans& spans, const Evidence& evidence, Figures* figures) {
  const auto source = spans.find(evidence.source);
  if (source == spans.end()) return;
  const Span* span = SpanAround(source->second, evidence.line);
  if (span != nullptr) AddFrames(*span, figures);
}

}  // namespace

Status NameUserFrames(facts::Store* store, Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(const Spans spans, ReadSpans(store, kTracebacks));
  ASSIGN_OR_RETURN(const Spans native, ReadSpans(store, kNativeStacks));
  for (Finding& finding : diagnosis->findings) {
    for (const Evidence& evidence : finding.evidence) {
      if (!evidence.user_frame.empty()) {
        MergeFigures(&finding.figures, {{"user_frame", evidence.user_frame}});
      }
      if (evidence.line > 0) AddPlace(spans, evidence, &finding.figures);
    }
    // A Python traceback at the same line says better who called.
    if (finding.figures.Contains("place")) continue;
    for (const Evidence& evidence : finding.evidence) {
      if (finding.figures.Contains("place")) break;
      if (evidence.line > 0) AddPlace(native, evidence, &finding.figures);
    }
    if (finding.figures.Contains("place")) {
      finding.figures["native_place"] = finding.figures["place"];
    }
  }
  return Status::Ok();
}

}  // namespace inquest::findings
