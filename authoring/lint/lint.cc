// SPDX-License-Identifier: Apache-2.0
#include "authoring/lint/lint.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/parallel.h"

namespace inquest::authoring {

Diagnostic Remark(const LintSubject& subject, Diagnostic::Level level,
                  const rules::Place& place, const char* code,
                  std::string message, std::string reason, std::string help) {
  Diagnostic remark = rules::RuleDiagnostic(subject.sources, level, place, code,
                                            std::move(message));
  remark.reason = std::move(reason);
  remark.help = std::move(help);
  return remark;
}

void LintRules(const LintSubject& subject, Diagnostics* diagnostics) {
  constexpr std::array kParts = {LintSql,   LintPatterns, LintRelations,
                                 LintRings, LintWords,    LintFigures,
                                 LintTests};
  std::array<Diagnostics, kParts.size()> said;
  said[0] = std::exchange(*diagnostics, {});  // LintSql refines some of them
  InParallel(kParts.size(), [&](size_t i) { kParts[i](subject, &said[i]); });
  for (Diagnostics& one : said) {
    std::move(one.begin(), one.end(), std::back_inserter(*diagnostics));
  }
  // An entry that did not load may be the one that a relation names.
  if (HasErrors(*diagnostics)) {
    std::erase_if(*diagnostics, [](const Diagnostic& one) {
      return one.code == "R072" || one.code == "R082";
    });
  }
  ApplyAllows(subject, diagnostics);
  // The order of files is that of loading, which is what the author knows.
  const auto file = [&](const Diagnostic& one) {
    size_t index = 0;
    while (index < subject.sources.size() &&
           subject.sources[index].name != one.file) {
      ++index;
    }
    return index;
  };
  std::vector<std::tuple<size_t, int, int, size_t>> order;
  for (size_t i = 0; i < diagnostics->size(); ++i) {
    const Diagnostic& one = (*diagnostics)[i];
    order.emplace_back(file(one), one.line, one.column, i);
  }
  std::sort(order.begin(), order.end());
  Diagnostics sorted;
  for (const auto& place : order) {
    sorted.push_back(std::move((*diagnostics)[std::get<3>(place)]));
  }
  *diagnostics = std::move(sorted);
}

}  // namespace inquest::authoring
