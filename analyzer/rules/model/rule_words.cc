// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/rule_words.h"

#include "analyzer/rules/load/format_words.h"

namespace inquest::rules {

std::string_view Word(Role role) {
  const std::string_view word = WordIn(kSignatureRoles, role);
  return word.empty() ? WordIn(kRuleRoles, role) : word;
}

std::string_view Word(Severity severity) {
  return WordIn(kSeverities, severity);
}

std::string_view Word(Confidence confidence) {
  return WordIn(kConfidences, confidence);
}

std::string_view Word(Relation::Kind kind) {
  return WordIn(kKinds, kind);
}

}  // namespace inquest::rules
