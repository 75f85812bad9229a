// SPDX-License-Identifier: Apache-2.0
// Checks titles, look-alikes and references to deprecated entries.

#include <algorithm>
#include <cctype>
#include <set>

#include "authoring/lint/lint.h"
#include "authoring/propose/propose.h"
#include "base/glob.h"

namespace inquest::authoring {
namespace {

using Level = Diagnostic::Level;
using rules::Stage;

// Names keep their own spelling: cuDNN, libfoo.so, /dev/shm, torch.compile.
bool IsOrdinaryWord(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return c >= 'a' && c <= 'z';
  });
}

void LintTitle(const LintSubject& subject, const std::string& id,
               const std::string& title, const rules::Place& place,
               Diagnostics* diagnostics) {
  const std::string word = title.substr(0, title.find_first_of(" ,;:'"));
  if (!IsOrdinaryWord(word)) return;
  std::string better = title;
  better[0] = static_cast<char>(std::toupper(better[0]));
  diagnostics->push_back(
      Remark(subject, Level::kWarning, place, "R079",
             "the title of '" + id + "' begins with a small letter",
             "titles begin reports and lists", "write '" + better + "'"));
}

void LintLookAlikes(const LintSubject& subject,
                    const rules::Signature& signature,
                    Diagnostics* diagnostics) {
  const bool accuses = signature.role == rules::Role::kCause ||
                       signature.role == rules::Role::kSymptom;
  if (!accuses || !signature.no_match.empty()) return;
  diagnostics->push_back(
      Remark(subject, Level::kWarning, signature.place, "R080",
             "'" + signature.id + "' shows no line that it must not match",
             "a later change may match the most similar harmless line",
             "add a look-alike under samples/no_match"));
}

void LintDraft(const LintSubject& subject, const rules::Signature& signature,
               Diagnostics* diagnostics) {
  const bool draft =
      std::any_of(signature.fix.begin(), signature.fix.end(),
                  [](const rules::Fix& fix) { return fix.text == kDraftFix; });
  if (!draft) return;
  diagnostics->push_back(
      Remark(subject, Level::kWarning, signature.place, "R081",
             "'" + signature.id + "' is still the draft of `rules new`",
             "its fix says '" + std::string(kDraftFix) + "'",
             "name the cause, say what happened in the title and what to do "
             "under fix"));
}

// Whether all ids of an `id:` end are deprecated.
bool NamesOnlyDeprecated(const rules::RuleSet& set, std::string_view glob) {
  bool any = false;
  const auto fine = [&](const auto& entry) {
    if (!MatchesGlob(glob, entry.id)) return false;
    any = true;
    return entry.status != Stage::kDeprecated;
  };
  return std::none_of(set.rules.begin(), set.rules.end(), fine) &&
         std::none_of(set.signatures.begin(), set.signatures.end(), fine) &&
         any;
}

void LintDeprecated(const LintSubject& subject, const rules::Relation& relation,
                    Diagnostics* diagnostics) {
  for (const auto* ends : {&relation.from, &relation.to}) {
    for (const std::string& end : *ends) {
      if (!end.starts_with(rules::kIdMark) ||
          !NamesOnlyDeprecated(subject.set,
                               end.substr(rules::kIdMark.size()))) {
        continue;
      }
      diagnostics->push_back(
          Remark(subject, Level::kWarning, relation.place, "R078",
                 "the relation names '" + end + "', which is deprecated",
                 "a later version will remove it", "name its replacement"));
    }
  }
}

}  // namespace

void LintWords(const LintSubject& subject, Diagnostics* diagnostics) {
  for (const auto& signature : subject.set.signatures) {
    LintTitle(subject, signature.id, signature.title, signature.place,
              diagnostics);
    LintLookAlikes(subject, signature, diagnostics);
    LintDraft(subject, signature, diagnostics);
  }
  for (const auto& rule : subject.set.rules) {
    LintTitle(subject, rule.id, rule.title, rule.place, diagnostics);
  }
  for (const auto& relation : subject.set.relations) {
    LintDeprecated(subject, relation, diagnostics);
  }
}

}  // namespace inquest::authoring
