// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/evidence_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "analyzer/report/excerpt.h"
#include "analyzer/report/report_words.h"
#include "base/text.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using findings::Evidence;
using findings::Finding;

// Whose line it is, where its own words do not say so.
std::string Whose(const Evidence& evidence) {
  const std::string words = ToLower(evidence.text);
  if (evidence.rank && words.find("rank") == words.npos) {
    return fmt::format(" (rank {})", *evidence.rank);
  }
  const std::string pid = evidence.pid ? std::to_string(*evidence.pid) : "";
  if (pid.empty() || words.find(pid) != words.npos) return {};
  return fmt::format(" (pid {})", pid);
}

// Formats as a size or a duration if the name says so; otherwise as it is.
std::string OneFigureText(const std::string& name, const Figure& value,
                          size_t width) {
  if (value.IsText()) return Printable(value.Text(), width);
  const bool bytes = name.ends_with("_bytes") || name.starts_with("bytes_per_");
  if (value.IsNumber() && bytes) return FormatBytes(value.Integer());
  if (value.IsInteger() && name.ends_with("_ms")) {
    return FormatDuration(value.Integer() * 1'000'000);
  }
  return Printable(JsonText(value), width);
}

// The number that the collecting added to an error's name: releases number them
// differently, so it is for programs, which compare all forms.
bool IsAddedNumber(const std::string& name, const Figure& first,
                   const Figure& one) {
  const bool error = name == "cuda_error" || name == "cudnn_status";
  return error && first.IsText() && one.IsNumber();
}

// Values of a list that print alike are written once.
std::string FigureText(const std::string& name, const Figure& value,
                       size_t width) {
  if (!value.IsList()) return OneFigureText(name, value, width);
  std::vector<std::string> texts;
  const auto& items = value.Items();
  for (const Figure& one : items) {
    if (IsAddedNumber(name, items.front(), one)) continue;
    std::string text = OneFigureText(name, one, width);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  return Printable(fmt::format("{}", fmt::join(texts, ", ")), width);
}

// Lines around an error that say nothing of it: a traceback's head, where to
// read about the error, frames of what only reports it.
bool IsMute(const Evidence& evidence) {
  constexpr std::string_view kReporters[] = {
      "Search for `", "ProcessGroupNCCL::WorkNCCL::checkTimeout(",
      "ProcessGroupNCCL::watchdogHandler(",
      "ProcessGroupNCCL::ncclCommWatchdog(", "c10::Error::Error("};
  return evidence.line > 0 &&
         (evidence.text.ends_with("Traceback (most recent call last):") ||
          ContainsAny(evidence.text, kReporters));
}

// The first one decides; lines beside it are read as they stand in their logs.
void SortBehindFirst(std::vector<Evidence>* evidence) {
  const auto is_row = [](const Evidence& one) { return one.line == 0; };
  if (evidence->size() < 3 || std::ranges::any_of(*evidence, is_row)) return;
  std::stable_sort(evidence->begin() + 1, evidence->end(),
                   [](const Evidence& a, const Evidence& b) {
                     return std::pair(a.source, a.line) <
                            std::pair(b.source, b.line);
                   });
}

// What the finding's own sentence says in full is only begun.
std::string Quoted(const Evidence& evidence, const Figures& figures,
                   std::string_view told) {
  constexpr size_t kBegun = 100;  // bytes
  const std::string_view text = evidence.text;
  if (text.size() > 2 * kBegun &&
      told.find(Trim(text.substr(kBegun, kMaxLineWidth))) != told.npos) {
    return Printable(text, kBegun);
  }
  return Excerpt(text, figures, kMaxLineWidth, evidence.matched);
}

}  // namespace

std::vector<Evidence> WithoutRepeats(const std::vector<Evidence>& evidence) {
  std::vector<Evidence> once;
  std::set<std::string> seen;
  for (const Evidence& one : evidence) {
    if (!once.empty() && IsMute(one)) continue;
    if (one.line == 0 || seen.insert(WithoutNumbers(one.text)).second) {
      once.push_back(one);
    }
  }
  return once;
}

std::string EvidenceLine(const Evidence& evidence, const Figures& figures,
                         std::string_view path_above, std::string_view told) {
  const std::string text = Quoted(evidence, figures, told);
  if (evidence.line > 0) {
    const bool known = evidence.path == path_above;
    return fmt::format("  {}:{}{}: {}\n",
                       Safe(known ? LastPart(evidence.path) : evidence.path),
                       evidence.line, Whose(evidence), text);
  }
  const std::string of =
      evidence.process ? fmt::format(" of process {}", *evidence.process) : "";
  return fmt::format("  {} [{} {}{}]\n", text, Safe(evidence.table),
                     evidence.row, of);
}

std::string EvidenceListText(const Finding& root, const Painter& paint,
                             size_t most) {
  if (root.evidence.empty()) return {};
  std::string text = paint.Bold("Why") + "\n";
  auto evidence = WithoutRepeats(root.evidence);
  if (evidence.front().line > 0) {
    // The lines that a row was made of stand here already.
    std::erase_if(evidence, [&](const Evidence& one) {
      return one.line == 0 && root.message.find(one.text) != std::string::npos;
    });
  }
  evidence.resize(std::min(most, evidence.size()));
  SortBehindFirst(&evidence);
  std::string_view path;
  for (const Evidence& one : evidence) {
    text += EvidenceLine(one, root.figures, path, root.message);
    path = one.path;
  }
  if (root.evidence.size() > evidence.size()) {
    text += fmt::format("  … and {} more\n",
                        root.evidence.size() - evidence.size());
  }
  return text;
}

std::vector<NamedText> FigureTexts(const Figures& figures, size_t most,
                                   size_t width) {
  std::vector<NamedText> texts;
  for (const auto& [name, value] : figures) {
    if (texts.size() == most) break;
    texts.push_back({Safe(name), FigureText(name, value, width)});
  }
  return texts;
}

std::string FiguresText(const Figures& figures, const Painter& paint) {
  if (figures.empty()) return {};
  std::string text = paint.Bold("Figures") + "\n";
  size_t width = 0;
  for (const auto& [name, value] : figures) {
    width = std::max(width, name.size());
  }
  for (const auto& [name, value] : FigureTexts(figures, kAllFigures)) {
    text += fmt::format("  {:<{}}  {}\n", name, width, value);
  }
  return text;
}

}  // namespace inquest::report
