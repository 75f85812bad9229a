// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyzer/findings/rank/losses.h"
#include "analyzer/report/ascii.h"
#include "analyzer/report/evidence_text.h"
#include "analyzer/report/figure_sentences.h"
#include "analyzer/report/fixes_text.h"
#include "analyzer/report/job_text.h"
#include "analyzer/report/last_exception.h"
#include "analyzer/report/memory_text.h"
#include "analyzer/report/next_steps.h"
#include "analyzer/report/painter.h"
#include "analyzer/report/report.h"
#include "analyzer/report/report_words.h"
#include "analyzer/report/sections.h"
#include "analyzer/report/text_parts.h"
#include "analyzer/report/wrap.h"
#include "analyzer/rules/model/world.h"
#include "base/ranges.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Evidence;
using findings::Finding;

constexpr size_t kMaxAlso = 4;  // ranges

// " (also 2, 3)": what else the lines of one finding name beside its unit.
std::string AlsoText(const Figure& figure, int64_t own) {
  std::set<int64_t> others;
  for (const Figure& one : figure.AsList()) {
    if (one.IsInteger()) others.insert(one.Integer());
  }
  // The unit may be one that the finding's lines do not name.
  if (others.erase(own) == 0 || others.empty()) return {};
  return fmt::format(" (also {})", FormatRanges(others, kMaxAlso));
}

std::string UnitText(const findings::Unit& unit, const Finding& finding) {
  std::string text;
  const auto add = [&text, &finding](const char* name, const char* word,
                                     const auto& value) {
    if (!value) return;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", word, *value,
                        AlsoText(finding.figures[name], *value));
  };
  add("rank", "rank", unit.rank);
  add("device", finding.device_word.c_str(), unit.device);
  add("pid", "pid", unit.pid);
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
  const std::string place = PlaceText(diagnosis);
  if (!place.empty()) text += "  " + Safe(place) + "\n";
  const std::string standing = StandingText(diagnosis);
  if (!standing.empty()) text += paint.Dim("  " + standing) + "\n";
  for (const std::string& missing : findings::WhatIsMissing(diagnosis)) {
    text += "  " + Safe(missing) + "\n";
  }
  if (findings::HitsALimit(diagnosis)) {
    text += "  not every rule saw everything, see below\n";
  }
  return text;
}

// What is left out first where the report is too long, and how much of it
// stays. Nothing is taken from the verdict's own lines.
const std::vector<Least>& Shortening() {
  static const std::vector<Least> steps = {{"Held at the peak", 0},
                                           {"Risks", 0},
                                           {kConsequences, 2},
                                           {"Also", 2},
                                           {"Unexplained", 2},
                                           {"Why", 3},
                                           {"Memory recorded", 1},
                                           {"What was read", 2},
                                           {"Job", 4},
                                           {"Lines that look", 4},
                                           {kConsequences, 1},
                                           {"Also", 1},
                                           {"Why", 2},
                                           {"Job", 2},
                                           {"Memory recorded", 0},
                                           {"What was read", 1},
                                           {"Not examined", 3},
                                           {"Lines that look", 2},
                                           {"What to do", 1},
                                           {"Figures", 2},
                                           {"Risks", 0},
                                           {kConsequences, 0},
                                           {"Not examined", 1},
                                           {"Figures", 0},
                                           {"Why", 1},
                                           {"Also", 0},
                                           {"Unexplained", 0},
                                           {"What was read", 0},
                                           {"Undecided", 1}};
  return steps;
}

std::string Titled(const char* title, const std::vector<std::string>& lines,
                   const Painter& paint) {
  if (lines.empty()) return {};
  std::string text = paint.Bold(title) + "\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

std::string WhyText(const Diagnosis& diagnosis, const Finding& root,
                    size_t most, const Painter& paint) {
  std::string text = EvidenceListText(root, paint, most);
  const Evidence* last = LastException(diagnosis);
  if (last == nullptr) return text;
  return text + "  the last exception:" + EvidenceLine(*last, {}, {}).substr(1);
}

size_t WidthFor(const TextStyle& style) {
  return style.width == 0 ? kUsualWidth : style.width;
}

MemoryTelling TellingOf(const ReportInput& input, const TextStyle& style) {
  const std::string& cause = input.diagnosis->verdict.cause;
  MemoryTelling telling;
  telling.all = style.all;
  telling.sites = style.all || cause.starts_with("memory/");
  if (!input.curve) return telling;
  telling.process = input.curve->process;
  telling.device = input.curve->device;
  telling.picture = DrawMemory(*input.curve, WidthFor(style), style.ascii);
  return telling;
}

std::string Finished(std::string text, const TextStyle& style) {
  // A tab's width is the terminal's secret.
  std::ranges::replace(text, '\t', ' ');
  if (style.ascii) text = InAscii(text);
  return WrapLines(text, style.width);
}

std::string WholeReport(const ReportInput& input, const TextStyle& style,
                        const Painter& paint) {
  const Diagnosis& diagnosis = *input.diagnosis;
  std::string text = VerdictText(diagnosis, paint) + JobText(diagnosis, paint);
  if (diagnosis.verdict.finding) {
    const Finding& root = diagnosis.findings[*diagnosis.verdict.finding];
    text += WhyText(diagnosis, root, root.evidence.size(), paint);
    text += FiguresText(root.figures, paint);
    text += FixesText(input, root.fixes, root.fixes.size(), paint);
  }
  text += ActionsText(diagnosis, paint);
  return text + BesideRootText(input, TellingOf(input, style), paint) +
         NextSteps(input, {}, WidthFor(style), paint);
}

std::string ShortReport(const ReportInput& input, const TextStyle& style,
                        const Painter& paint) {
  const Diagnosis& diagnosis = *input.diagnosis;
  const size_t width = WidthFor(style);
  const std::string head = VerdictText(diagnosis, paint);
  std::string text = JobText(diagnosis, paint);
  size_t others = 0;
  if (diagnosis.verdict.finding) {
    const Finding& root = diagnosis.findings[*diagnosis.verdict.finding];
    const FigureSentences figures = SentencesOf(diagnosis, root);
    others = figures.others;
    text += WhyText(diagnosis, root, kMaxEvidence, paint);
    text += Titled("Figures", figures.sentences, paint);
    text += FixesText(input, root.fixes, MostSteps(input), paint);
  }
  text += ActionsText(diagnosis, paint);
  const MemoryTelling memory = TellingOf(input, style);
  const bool all_sites = memory.sites || input.summary.peaks.empty();
  text += BesideRootText(input, memory, paint);
  std::vector<TextSection> sections = SectionsOf(text);
  // Room for what comes last, as if something were left out.
  const std::string next = NextSteps(input, {others, true}, width, paint);
  const bool whole =
      FitInto(style.most_lines, width, head + next, Shortening(), &sections);
  return head + TextOf(sections) +
         NextSteps(input, {others, !whole || !all_sites}, width, paint);
}

}  // namespace

std::string PlaceText(const Diagnosis& diagnosis) {
  if (!diagnosis.verdict.finding) return {};
  const Figures& figures =
      diagnosis.findings[*diagnosis.verdict.finding].figures;
  const rules::Phase* phase = rules::FindPhase(figures["phase"].Text());
  const std::string& place = figures["place"].Text();
  std::string text = phase == nullptr ? "" : phase->words;
  if (!place.empty()) text += (text.empty() ? "in " : ", in ") + place;
  // A kernel's error shows at some later call.
  const bool late = diagnosis.verdict.cause.starts_with("kernel/");
  return late && !text.empty() ? "reported " + text : text;
}

std::string StandingText(const Diagnosis& diagnosis) {
  const findings::Verdict& verdict = diagnosis.verdict;
  std::string text(Word(verdict.confidence));
  if (verdict.cause == "unknown" && !verdict.finding) return {};
  if (!verdict.finding) return text;
  const Finding& root = diagnosis.findings[*verdict.finding];
  const std::string unit = UnitText(findings::WhereItBegan(diagnosis), root);
  if (!unit.empty()) text += ", " + Safe(unit);
  return text + ", rule " + root.rule;
}

std::string TextReport(const ReportInput& input, const TextStyle& style) {
  const Painter paint(style.colour);
  return Finished(style.all ? WholeReport(input, style, paint)
                            : ShortReport(input, style, paint),
                  style);
}

std::string OneLine(const Diagnosis& diagnosis) {
  const auto& verdict = diagnosis.verdict;
  const auto& words = verdict.summary.empty() ? verdict.title : verdict.summary;
  return fmt::format("{} ({})", Safe(words), verdict.cause);
}

}  // namespace inquest::report
