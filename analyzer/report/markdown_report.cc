// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/markdown_report.h"

#include <fmt/format.h>

#include "analyzer/findings/rank/losses.h"
#include "analyzer/report/evidence_text.h"
#include "analyzer/report/figure_sentences.h"
#include "analyzer/report/fixes_text.h"
#include "analyzer/report/job_text.h"
#include "analyzer/report/markdown.h"
#include "analyzer/report/sections.h"
#include "analyzer/report/text_parts.h"
#include "base/text.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Finding;

constexpr size_t kFiguresTold = 200;
constexpr size_t kWidestFigure = 300;
constexpr size_t kPiecesQuoted = 12;

std::string Heading(const Diagnosis& diagnosis) {
  const findings::Verdict& verdict = diagnosis.verdict;
  std::string text = fmt::format("## {}: {}\n\n", MarkdownText(verdict.cause),
                                 MarkdownText(verdict.title));
  if (verdict.summary != verdict.title) {
    text += "**" + MarkdownText(verdict.summary) + "**\n\n";
  }
  const std::string place = PlaceText(diagnosis);
  if (!place.empty()) text += MarkdownText(place) + "\n\n";
  const std::string standing = StandingText(diagnosis);
  if (!standing.empty()) text += MarkdownText(standing) + "\n";
  for (const std::string& missing : findings::WhatIsMissing(diagnosis)) {
    text += "\n> " + MarkdownText(missing) + "\n";
  }
  return text;
}

std::string Why(const Finding& root) {
  std::string lines;
  std::string path;
  const auto evidence = WithoutRepeats(root.evidence);
  for (size_t i = 0; i < evidence.size() && i < kPiecesQuoted; ++i) {
    const std::string line =
        EvidenceLine(evidence[i], root.figures, path, root.message);
    lines += std::string(Trim(line)) + (line.ends_with('\n') ? "" : "\n");
    path = evidence[i].path;
  }
  if (lines.empty()) return {};
  return "\n### Why\n\n" + MarkdownBlock(lines, "text", 0);
}

std::string Fixes(const ReportInput& input, const Finding& root) {
  std::string text;
  for (size_t i = 0; i < root.fixes.size(); ++i) {
    const rules::Fix& fix = root.fixes[i];
    text += fmt::format("{}. {}\n", i + 1, MarkdownText(fix.text));
    if (!fix.command.empty()) {
      text += "\n" + MarkdownBlock(CommandFor(input, fix.command), "sh", 3);
    }
    if (!fix.url.empty()) text += "\n   " + MarkdownCode(fix.url) + "\n";
  }
  return text.empty() ? text : "\n### What to do\n\n" + text;
}

std::string AllFigures(const Figures& figures) {
  std::string text;
  for (const auto& [name, value] :
       FigureTexts(figures, kFiguresTold, kWidestFigure)) {
    text +=
        fmt::format("| {} | {} |\n", MarkdownText(name), MarkdownText(value));
  }
  if (text.empty()) return {};
  return "\n### Figures\n\n| figure | value |\n| --- | --- |\n" + text;
}

std::string FiguresThatMatter(const Diagnosis& diagnosis, const Finding& root) {
  std::string text;
  for (const std::string& one : SentencesOf(diagnosis, root).sentences) {
    text += "- " + MarkdownText(one) + "\n";
  }
  return text.empty() ? text : "\n### Figures\n\n" + text;
}

// A section of the text report: what hangs below an item is a block.
std::string SectionText(const TextSection& section) {
  std::string text =
      "\n### " + MarkdownText(Trim(section.title, " \n")) + "\n\n";
  for (const std::string& item : section.items) {
    const size_t end = item.find('\n');
    text += "- " + MarkdownText(Trim(item.substr(0, end))) + "\n";
    if (end + 1 < item.size()) {
      text += "\n" + MarkdownBlock(item.substr(end + 1), "text", 2);
    }
  }
  if (section.left_out > 0) {
    text += fmt::format("- … and {} more\n", section.left_out);
  }
  return text;
}

std::string Sections(const std::string& told) {
  std::string text;
  for (const TextSection& one : SectionsOf(told)) text += SectionText(one);
  return text;
}

}  // namespace

std::string MarkdownReport(const ReportInput& input, bool redacted, bool all) {
  const Diagnosis& diagnosis = *input.diagnosis;
  const Painter plain(false);
  std::string text = Heading(diagnosis) + Sections(JobText(diagnosis, plain));
  if (diagnosis.verdict.finding) {
    const Finding& root = diagnosis.findings[*diagnosis.verdict.finding];
    text += Why(root) + Fixes(input, root);
    text += all ? AllFigures(root.figures) : FiguresThatMatter(diagnosis, root);
  }
  text += Sections(ActionsText(diagnosis, plain));
  MemoryTelling memory;
  if (input.curve) {
    memory.process = input.curve->process;
    memory.device = input.curve->device;
    memory.picture = DrawMemory(*input.curve, kUsualWidth, false);
  }
  text += Sections(BesideRootText(input, memory, plain));
  return text + fmt::format("\n---\ninquest {}{}\n", input.tool_version,
                            redacted ? "; names of hosts, users and folders, "
                                       "addresses and the like are replaced"
                                     : "");
}

}  // namespace inquest::report
