// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/findings/rank/losses.h"
#include "analyzer/report/evidence_text.h"
#include "analyzer/report/finding_lines.h"
#include "analyzer/report/job_text.h"
#include "analyzer/report/memory_text.h"
#include "analyzer/report/painter.h"
#include "analyzer/report/report.h"
#include "analyzer/report/report_words.h"
#include "analyzer/report/text_parts.h"
#include "analyzer/report/wrap.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Evidence;
using findings::Finding;
using findings::Standing;

std::string UnitText(const findings::Unit& unit) {
  std::string text;
  const auto add = [&text](const char* name, const auto& value) {
    if (!value) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, *value);
  };
  add("rank", unit.rank);
  add("GPU", unit.device);
  add("pid", unit.pid);
  if (!unit.host.empty()) text += (text.empty() ? "on " : ", on ") + unit.host;
  return text;
}

std::string VerdictText(const Diagnosis& diagnosis, const Painter& paint) {
  const auto& verdict = diagnosis.verdict;
  std::string text = fmt::format(
      "{}  {}\n", paint.Cause(verdict.cause, verdict.cause == "none"),
      paint.Bold(verdict.title));
  if (verdict.summary != verdict.title) {
    text += "  " + Safe(verdict.summary) + "\n";
  }
  text += paint.Dim("  " + StandingText(diagnosis)) + "\n";
  for (const std::string& missing : findings::WhatIsMissing(diagnosis)) {
    text += "  " + Safe(missing) + "\n";
  }
  return text;
}

std::string FixesText(const std::vector<rules::Fix>& fixes,
                      const Painter& paint) {
  if (fixes.empty()) return {};
  std::string text = paint.Bold("What to do") + "\n";
  for (size_t i = 0; i < fixes.size(); ++i) {
    text += fmt::format("  {}. {}\n", i + 1, Safe(fixes[i].text));
    if (!fixes[i].command.empty()) {
      text += fmt::format("     {}\n", paint.Bold(fixes[i].command));
    }
    if (!fixes[i].url.empty()) {
      text += fmt::format("     see {}\n", fixes[i].url);
    }
  }
  return text;
}

std::string InputText(const findings::Input& input,
                      const std::vector<Evidence>& told) {
  std::string text = fmt::format("  {}: {}\n", Safe(input.path), input.read_as);
  for (const Evidence& line : input.last_lines) {
    if (findings::IsAmong(line, told)) continue;
    text += fmt::format("    {}: {}\n", line.line,
                        Printable(line.text, kMaxLineWidth));
  }
  return text;
}

// For a person to investigate if no cause is known. `told`: lines that the
// report quotes already.
std::string OpenText(const findings::Verdict& verdict,
                     std::vector<Evidence> told, const Painter& paint) {
  const findings::OpenQuestion& open = verdict.open;
  std::string text;
  if (!open.suspects.empty()) {
    text += paint.Bold("Lines that look like errors") + "\n";
    std::string_view path;
    for (const Evidence& line : open.suspects) {
      text += EvidenceLine(line, {}, path);
      path = line.path;
    }
  }
  told.insert(told.end(), open.suspects.begin(), open.suspects.end());
  if (!open.inputs.empty() && verdict.cause == "unknown") {
    text += paint.Bold("What was read, and its last lines") + "\n";
    for (const findings::Input& input : open.inputs) {
      text += InputText(input, told);
    }
  }
  return text;
}

std::string TiesText(const Diagnosis& diagnosis, const Painter& paint) {
  std::string text;
  for (const findings::Tie& tie : diagnosis.verdict.ties) {
    const Finding& other = diagnosis.findings[tie.finding];
    text += fmt::format("  {}  {} is as likely; {}\n", other.id, other.cause,
                        Printable(tie.decider, kMaxLineWidth));
  }
  return text.empty() ? text : paint.Bold("Undecided") + "\n" + text;
}

std::string_view FaultWords(std::string_view kind) {
  if (kind == "double_free") return "frees of blocks that were already free";
  if (kind == "unknown_free") return "frees of unknown blocks";
  return "blocks that overlap others";
}

std::string NotExaminedText(const ReportInput& input, const Painter& paint) {
  std::string text;
  for (const std::string& missing : input.diagnosis->verdict.missing) {
    text += "  " + Safe(missing) + "\n";
  }
  for (const findings::LimitHit& limit : input.diagnosis->limits) {
    text += fmt::format("  rule {} {}\n", Safe(limit.rule), Safe(limit.what));
  }
  for (const FaultSummary& fault : input.summary.faults) {
    text += fmt::format(
        "  GPU {}: {} {} in the trace, from memory_event {} on\n", fault.device,
        FormatCount(fault.count), FaultWords(fault.kind), fault.first_event);
  }
  for (const ingest::LogSource& log : input.logs) {
    if (log.repeats > 0) {
      text += fmt::format(
          "  {}: {} lines differ from others in digits alone; they were "
          "counted, not read\n",
          Safe(log.path), FormatCount(log.repeats));
    }
    if (!log.note.empty()) {
      text += fmt::format("  {}: {}\n", Safe(log.path), Safe(log.note));
    }
  }
  return text.empty() ? text : paint.Bold("Not examined") + "\n" + text;
}

}  // namespace

std::string StandingText(const Diagnosis& diagnosis) {
  const findings::Verdict& verdict = diagnosis.verdict;
  std::string text(Word(verdict.confidence));
  if (!verdict.finding) return text;
  const Finding& root = diagnosis.findings[*verdict.finding];
  const std::string unit = UnitText(root.unit);
  if (!unit.empty()) text += ", " + unit;
  return text + ", rule " + root.rule;
}

std::string BesideRootText(const ReportInput& input, const Painter& paint) {
  const Diagnosis& diagnosis = *input.diagnosis;
  std::vector<Evidence> told;
  if (diagnosis.verdict.finding) {
    told = diagnosis.findings[*diagnosis.verdict.finding].evidence;
  }
  std::string text = OpenText(diagnosis.verdict, std::move(told), paint);
  text += TiesText(diagnosis, paint);
  text += FindingLines(diagnosis, Standing::kContributing, "Also", paint);
  text += FindingLines(diagnosis, Standing::kUnexplained, "Unexplained", paint);
  text += FindingLines(diagnosis, Standing::kSymptom, "Explained by it", paint);
  text += RiskLines(diagnosis, paint);
  text += MemoryText(input.summary, paint);
  return text + NotExaminedText(input, paint);
}

std::string TextReport(const ReportInput& input, bool colour, size_t width) {
  const Diagnosis& diagnosis = *input.diagnosis;
  const Painter paint(colour);
  std::string text = VerdictText(diagnosis, paint) + JobText(diagnosis, paint);
  if (diagnosis.verdict.finding) {
    const Finding& root = diagnosis.findings[*diagnosis.verdict.finding];
    text += EvidenceListText(root, paint);
    text += FiguresText(root.figures, paint);
    text += FixesText(root.fixes, paint);
  }
  text += ActionsText(diagnosis, paint);
  return WrapLines(text + BesideRootText(input, paint), width);
}

std::string OneLine(const Diagnosis& diagnosis) {
  const auto& verdict = diagnosis.verdict;
  const auto& words = verdict.summary.empty() ? verdict.title : verdict.summary;
  return fmt::format("{} ({})", Safe(words), verdict.cause);
}

}  // namespace inquest::report
