// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/relation_index.h"

#include <algorithm>

#include "analyzer/findings/rank/relation_match.h"

namespace inquest::findings {
namespace {

using rules::Relation;

bool NamesAny(const std::vector<std::string>& patterns,
              const Finding& finding) {
  return std::any_of(
      patterns.begin(), patterns.end(),
      [&](const std::string& pattern) { return Names(pattern, finding); });
}

// The general meaning of an error code explains how a process or a collective
// ended, but does not overrule anything that a log says in words.
bool IsAllowed(const Finding& from, const Relation& relation,
               const Finding& to) {
  if (!from.by_code || to.by_code) return true;
  return relation.kind == Relation::Kind::kExplains &&
         (to.role == rules::Role::kSymptom ||
          to.cause == "distributed/peer-lost" ||
          to.cause == "distributed/collective-timeout");
}

void Append(const std::vector<size_t>& from, std::vector<size_t>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

}  // namespace

RelationIndex::RelationIndex(const std::vector<Finding>& findings,
                             const std::vector<size_t>& candidates,
                             const std::vector<Relation>& relations)
    : findings_(findings), relations_(relations), kind_of_(findings.size()) {
  for (const size_t i : candidates) AddFinding(i);
  to_.resize(relations.size());
  for (size_t i = 0; i < relations.size(); ++i) AddRelation(i);
}

RelationIndex::Place RelationIndex::PlaceOf(const Evidence& evidence) {
  if (evidence.line > 0) return {"", evidence.source, evidence.line};
  return {evidence.table + ".", evidence.row, evidence.process.value_or(-1)};
}

void RelationIndex::AddFinding(size_t index) {
  const Finding& finding = findings_[index];
  const auto [known, is_new] =
      kind_by_name_.try_emplace({finding.rule, finding.cause}, kinds_.size());
  if (is_new) kinds_.emplace_back().example = &finding;
  kind_of_[index] = known->second;
  Kind& kind = kinds_[known->second];
  kind.all.push_back(index);
  if (finding.unit.rank) {
    kind.of_rank[*finding.unit.rank].push_back(index);
  } else {
    kind.of_no_rank.push_back(index);
  }
  for (const Evidence& one : finding.evidence) {
    std::vector<size_t>& here = at_[PlaceOf(one)];
    if (here.empty() || here.back() != index) here.push_back(index);
  }
}

void RelationIndex::AddRelation(size_t index) {
  const Relation& relation = relations_[index];
  for (size_t i = 0; i < kinds_.size(); ++i) {
    if (NamesAny(relation.to, *kinds_[i].example)) to_[index].push_back(i);
  }
  if (to_[index].empty()) return;
  for (Kind& kind : kinds_) {
    if (!NamesAny(relation.from, *kind.example)) continue;
    kind.from[static_cast<size_t>(relation.kind)].push_back(index);
  }
}

const std::vector<size_t>& RelationIndex::From(Relation::Kind kind,
                                               size_t finding) const {
  return kinds_[kind_of_[finding]].from[static_cast<size_t>(kind)];
}

const std::vector<size_t>& RelationIndex::KindsFor(size_t relation, size_t from,
                                                   int64_t* work) {
  const auto [known, is_new] =
      leads_to_.try_emplace({relation, kind_of_[from]});
  if (!is_new) return known->second;
  constexpr int64_t kWorkOfNames = 10;
  *work += std::ssize(to_[relation]) * kWorkOfNames;
  for (const size_t kind : to_[relation]) {
    const Finding& to = *kinds_[kind].example;
    if (IsAllowed(findings_[from], relations_[relation], to) &&
        IsAbout(relations_[relation], findings_[from], to)) {
      known->second.push_back(kind);
    }
  }
  return known->second;
}

int64_t RelationIndex::AddAtSameEvidence(const std::vector<size_t>& kinds,
                                         size_t from,
                                         std::vector<size_t>* found) const {
  int64_t work = 0;
  for (const Evidence& one : findings_[from].evidence) {
    const auto here = at_.find(PlaceOf(one));
    if (here == at_.end()) continue;
    work += std::ssize(here->second);
    for (const size_t i : here->second) {
      if (i != from &&
          std::binary_search(kinds.begin(), kinds.end(), kind_of_[i])) {
        found->push_back(i);
      }
    }
  }
  std::sort(found->begin(), found->end());
  found->erase(std::unique(found->begin(), found->end()), found->end());
  return work;
}

int64_t RelationIndex::Targets(size_t relation, size_t from,
                               std::vector<size_t>* found) {
  int64_t work = 1;
  const std::vector<size_t>& kinds = KindsFor(relation, from, &work);
  const Relation::Scope scope = relations_[relation].scope;
  if (scope == Relation::Scope::kEvent) {
    return work + AddAtSameEvidence(kinds, from, found);
  }
  const auto& rank = findings_[from].unit.rank;
  const bool by_rank = scope == Relation::Scope::kProcess && rank;
  for (const size_t kind : kinds) {
    const Kind& to = kinds_[kind];
    if (!by_rank) {
      Append(to.all, found);
      continue;
    }
    const auto same = to.of_rank.find(*rank);
    if (same != to.of_rank.end()) Append(same->second, found);
    Append(to.of_no_rank, found);
  }
  std::erase(*found, from);
  return work + std::ssize(*found);
}

}  // namespace inquest::findings
