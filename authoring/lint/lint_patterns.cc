// SPDX-License-Identifier: Apache-2.0
// Checks patterns for literals: without one, RE2 must try every line, and a log
// of a week has a hundred million lines.

#include <algorithm>
#include <iterator>

#include "analyzer/rules/signatures/common_words.h"
#include "analyzer/rules/signatures/signature_literals.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "analyzer/rules/signatures/signature_sieve.h"
#include "authoring/lint/lint.h"
#include "base/parallel.h"

namespace inquest::authoring {
namespace {

using Level = Diagnostic::Level;

constexpr size_t kShortest = rules::Sieve::kShortest;

// The first literal that is too common to select lines.
std::string CommonOne(const std::vector<std::string>& literals) {
  const auto found =
      std::find_if(literals.begin(), literals.end(), rules::IsCommonWord);
  return found == literals.end() ? "" : *found;
}

void LintLength(const LintSubject& subject, const rules::Pattern& pattern,
                Diagnostics* diagnostics) {
  if (pattern.length <= rules::kMaxPatternLength) return;
  diagnostics->push_back(Remark(
      subject, Level::kWarning, pattern.place, "R083",
      "the pattern has " + std::to_string(pattern.length) + " characters",
      "more than " + std::to_string(rules::kMaxPatternLength) +
          " are hard to read",
      "make its alternatives a list, each with its sample"));
}

void LintPattern(const LintSubject& subject, const rules::Signature& signature,
                 const rules::Pattern& pattern, Diagnostics* diagnostics) {
  // Drafts of `rules new` are as long as their line.
  const bool draft = signature.status == rules::Stage::kExperimental;
  if (!draft) LintLength(subject, pattern, diagnostics);
  const auto literals = pattern.literals
                            ? *pattern.literals
                            : rules::LiteralsOf(pattern.re2, kShortest);
  if (literals.any.empty()) {
    diagnostics->push_back(
        Remark(subject, Level::kWarning, pattern.place, "R070",
               "the pattern of '" + signature.id + "' is tried on every line",
               "it has no fixed text of four letters or more by which other "
               "lines could be skipped",
               "include a word that is always in the line"));
    return;
  }
  // Signatures of ordinary progress match ordinary lines; that is their
  // purpose.
  const bool ordinary = signature.role == rules::Role::kProgress ||
                        signature.role == rules::Role::kFinish;
  const std::string common = CommonOne(literals.any);
  if (ordinary || common.empty() || !literals.also.empty()) return;
  diagnostics->push_back(Remark(subject, Level::kWarning, pattern.place, "R071",
                                "the pattern of '" + signature.id +
                                    "' is tried on every line with '" + common +
                                    "'",
                                "ordinary lines have this word, too",
                                "require more of the line than this word"));
}

}  // namespace

void LintPatterns(const LintSubject& subject, Diagnostics* diagnostics) {
  const auto& signatures = subject.set.signatures;
  std::vector<Diagnostics> said(signatures.size());
  InParallel(signatures.size(), [&](size_t i) {
    for (const rules::Pattern& pattern : signatures[i].patterns) {
      LintPattern(subject, signatures[i], pattern, &said[i]);
    }
  });
  for (Diagnostics& one : said) {
    std::move(one.begin(), one.end(), std::back_inserter(*diagnostics));
  }
}

}  // namespace inquest::authoring
