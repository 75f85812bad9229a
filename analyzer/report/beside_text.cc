// SPDX-License-Identifier: Apache-2.0
// What the text report says beside the verdict's own finding: lines for a
// person to look at, other findings, memory, and what was not examined.
#include <fmt/format.h>

#include "analyzer/report/evidence_text.h"
#include "analyzer/report/finding_lines.h"
#include "analyzer/report/report_words.h"
#include "analyzer/report/text_parts.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Evidence;
using findings::Finding;
using findings::Standing;

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

// Lines that look like errors and that the report has not quoted yet.
std::string SuspectsText(const findings::OpenQuestion& open,
                         const std::vector<Evidence>& told,
                         const Painter& paint) {
  std::string text;
  std::string_view path;
  for (const Evidence& line : open.suspects) {
    if (findings::IsAmong(line, told)) continue;
    text += EvidenceLine(line, {}, path);
    path = line.path;
  }
  return text.empty() ? text
                      : paint.Bold("Lines that look like errors") + "\n" + text;
}

// For a person to investigate if no cause is known. `told`: lines that the
// report has quoted.
std::string OpenText(const findings::Verdict& verdict,
                     std::vector<Evidence> told, const Painter& paint) {
  const findings::OpenQuestion& open = verdict.open;
  std::string text = SuspectsText(open, told, paint);
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

// Said where a leak could be the cause, or one to come, and not said already.
std::string UnjudgedText(const Summary& summary,
                         const findings::Verdict& verdict) {
  const auto& all = summary.unjudged_leaks;
  const bool could_be = verdict.cause == "none" || verdict.cause == "unknown" ||
                        verdict.cause.starts_with("memory/");
  if (all.empty() || !could_be ||
      verdict.summary.find("leaks were not judged") != std::string::npos) {
    return {};
  }
  const std::string more =
      all.size() == 1 ? "" : fmt::format(" (in {} processes)", all.size());
  return fmt::format("  leaks were not judged: {}{}\n", all.front().why, more);
}

std::string NotExaminedText(const ReportInput& input, const Painter& paint) {
  std::string text;
  for (const std::string& missing : input.diagnosis->verdict.missing) {
    text += "  " + Safe(missing) + "\n";
  }
  for (const findings::LimitHit& limit : input.diagnosis->limits) {
    text += "  " + Safe(findings::LimitWords(limit)) + "\n";
  }
  text += UnjudgedText(input.summary, input.diagnosis->verdict);
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

std::string BesideRootText(const ReportInput& input,
                           const MemoryTelling& memory, const Painter& paint) {
  const Diagnosis& diagnosis = *input.diagnosis;
  std::vector<Evidence> told;
  if (diagnosis.verdict.finding) {
    told = diagnosis.findings[*diagnosis.verdict.finding].evidence;
  }
  const auto lines = [&](Standing standing, const char* title) {
    return FindingLines(diagnosis, standing, title, memory.all, paint);
  };
  std::string text = OpenText(diagnosis.verdict, std::move(told), paint);
  text += TiesText(diagnosis, paint);
  text += lines(Standing::kContributing, "Also");
  text += lines(Standing::kUnexplained, "Unexplained");
  text += lines(Standing::kSymptom, kConsequences);
  text += RiskLines(diagnosis, memory.all, paint);
  text += RemarkLines(diagnosis, memory.all, paint);
  text += MemoryText(input.summary, memory, paint);
  return text + NotExaminedText(input, paint);
}

}  // namespace inquest::report
