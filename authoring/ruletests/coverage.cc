// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/coverage.h"

#include <algorithm>
#include <utility>

namespace inquest::ruletests {
namespace {

bool NamesCause(const rules::Signature& signature) {
  return signature.role == rules::Role::kCause ||
         signature.role == rules::Role::kSymptom;
}

Covered FromSignature(const rules::Signature& signature) {
  Covered one;
  one.id = signature.id;
  one.cause = signature.cause;
  one.must = signature.status == rules::Stage::kStable;
  one.place = signature.place;
  one.fired = static_cast<int64_t>(signature.match.size());
  for (const rules::Pattern& pattern : signature.patterns) {
    one.fired += pattern.sample ? 1 : 0;
  }
  one.silent = static_cast<int64_t>(signature.no_match.size());
  return one;
}

Covered FromRule(const rules::Rule& rule) {
  Covered one;
  one.id = rule.id;
  one.cause = rule.cause;
  one.is_rule = true;
  one.must = rule.status == rules::Stage::kStable;
  one.place = rule.place;
  return one;
}

}  // namespace

Coverage::PlaceKey Coverage::Key(const rules::Place& place) {
  return {place.file, place.line, place.column};
}

Coverage::Coverage(const rules::RuleSet& rules,
                   const std::set<std::string>& files) {
  for (const rules::Rule& rule : rules.rules) {
    if (files.contains(rule.place.file)) all_.push_back(FromRule(rule));
  }
  for (const rules::Signature& signature : rules.signatures) {
    if (NamesCause(signature) && files.contains(signature.place.file)) {
      all_.push_back(FromSignature(signature));
    }
  }
  for (const rules::Relation& relation : rules.relations) {
    if (files.contains(relation.place.file)) {
      relations_.push_back(relation.place);
    }
  }
}

void Coverage::Add(const findings::Diagnosis& diagnosis) {
  std::set<std::string> fired;
  std::set<std::string> skipped;
  for (const auto& finding : diagnosis.findings) {
    fired.insert(finding.rule);
    for (const auto& link : finding.links) moved_.insert(Key(link.place));
  }
  for (const auto& one : diagnosis.skipped) skipped.insert(one.rule);
  for (Covered& one : all_) {
    if (fired.contains(one.id)) {
      ++one.fired;
    } else if (one.is_rule && !skipped.contains(one.id)) {
      ++one.silent;
    }
  }
}

std::vector<Covered> Coverage::Missing() const {
  std::vector<Covered> missing;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(missing),
               [](const Covered& one) { return one.must && !one.both(); });
  return missing;
}

double Coverage::Percent() const {
  if (all_.empty()) return 100;
  const auto both = std::count_if(
      all_.begin(), all_.end(), [](const Covered& one) { return one.both(); });
  return 100.0 * static_cast<double>(both) / static_cast<double>(all_.size());
}

std::vector<rules::Place> Coverage::IdleRelations() const {
  std::vector<rules::Place> idle;
  std::copy_if(relations_.begin(), relations_.end(), std::back_inserter(idle),
               [this](const rules::Place& place) {
                 return !moved_.contains(Key(place));
               });
  return idle;
}

int64_t Coverage::Verdicts(const std::string& cause) const {
  const auto found = verdicts_.find(cause);
  return found == verdicts_.end() ? 0 : found->second;
}

}  // namespace inquest::ruletests
