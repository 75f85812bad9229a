// SPDX-License-Identifier: Apache-2.0
// A diagnosis as text and as JSON. Only formats results. Text from logs and
// rules is made printable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/logs/reader/log_event.h"
#include "analyzer/memory/timeline/timeline.h"
#include "analyzer/report/memory_chart.h"
#include "analyzer/report/run_summary.h"
#include "analyzer/report/summary.h"
#include "analyzer/report/text_style.h"

namespace inquest::report {

// Of a curve of memory over time, at most.
inline constexpr size_t kTimelinePoints = 4000;

struct ReportInput {
  const findings::Diagnosis* diagnosis = nullptr;
  Summary summary;
  std::vector<ingest::LogSource> logs;
  std::vector<Figures> coverage;  // rows of the fact
  std::string tool_version;
  size_t rules = 0;
  std::string rules_digest;  // of the rules' text; "" if it is not known
  RunSummary run;
  std::string subject;  // what was diagnosed
  // The same as words for a shell, for "next" commands; empty if it cannot be
  // read again.
  std::string arguments;
  std::optional<MemoryCurve> curve;  // to be drawn in the text
  // Of the first processes, if the replay noted them; for the page.
  const memory::Timelines* timelines = nullptr;
};

// The contract "inquest.diagnosis/1", with `indent` spaces a level, or in one
// line if that is negative.
std::string JsonReport(const ReportInput& input, int indent);

// At most 40 lines in any width from 60 columns on, unless style.all: verdict,
// why, what to do, what it explains, what was not examined, what to ask next.
std::string TextReport(const ReportInput& input, const TextStyle& style);

// One line for the end of `inquest record`.
std::string OneLine(const findings::Diagnosis& diagnosis);

}  // namespace inquest::report
