// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/redact/redact_parts.h"

#include <array>
#include <utility>

namespace inquest::report {
namespace {

// Numbers alone, of something that has versions.
bool IsVersion(std::string_view name, std::string_view text) {
  if (text.find_first_not_of("0123456789.") != text.npos) return false;
  constexpr std::array<std::string_view, 6> kWords = {
      "version", "cudnn", "cuda", "driver", "librar", "nccl"};
  for (const std::string_view word : kWords) {
    if (name.find(word) != name.npos) return true;
  }
  return false;
}

Figure RedactedFigure(std::string_view name, const Figure& figure,
                      Redactor* redactor) {
  if (figure.IsText()) {
    return IsVersion(name, figure.Text())
               ? redactor->RedactedVersion(figure.Text())
               : redactor->Redacted(figure.Text());
  }
  if (!figure.IsList()) return figure;
  Figure::List list;
  for (const Figure& one : figure.Items()) {
    list.push_back(RedactedFigure(name, one, redactor));
  }
  return list;
}

}  // namespace

void In(Redactor* redactor, std::string* text) {
  *text = redactor->Redacted(*text);
}

void InPath(Redactor* redactor, std::string* path) {
  *path = redactor->RedactedPath(*path);
}

void InFigures(Redactor* redactor, Figures* figures) {
  Figures redacted;
  for (const auto& [name, figure] : *figures) {
    redacted[name] = RedactedFigure(name, figure, redactor);
  }
  *figures = std::move(redacted);
}

void InEvidence(Redactor* redactor, std::vector<findings::Evidence>* evidence) {
  for (findings::Evidence& one : *evidence) {
    InPath(redactor, &one.path);
    In(redactor, &one.text);
    In(redactor, &one.user_frame);
  }
}

}  // namespace inquest::report
