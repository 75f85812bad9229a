// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/relations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyzer/findings/rank/relation_match.h"
#include "analyzer/findings/rank/root_order.h"
#include "analyzer/rules/model/rule_words.h"

namespace inquest::findings {
namespace {

using rules::Relation;

// Kept for each finding; more explanations add nothing.
constexpr size_t kMaxLinks = 32;
constexpr int64_t kMatchCost = 10;  // skipping a relation costs 1

bool IsCandidate(const Finding& finding) {
  return finding.severity == rules::Severity::kError && !finding.survived &&
         finding.role != rules::Role::kNote;
}

// The general meaning of an error code explains how a process or a collective
// ended, but does not overrule anything that a log says in words.
bool MayLink(const Finding& from, const Relation& relation, const Finding& to) {
  if (!from.by_code || to.by_code) return true;
  return relation.kind == Relation::Kind::kExplains &&
         (to.role == rules::Role::kSymptom ||
          to.cause == "distributed/peer-lost" ||
          to.cause == "distributed/collective-timeout");
}

// Which relations apply to a pair of findings depends only on their rules and
// causes. A job of a thousand ranks has thousands of findings but few rules, so
// each pair of rules is looked up once.
class RelationIndex {
 public:
  RelationIndex(const std::vector<Finding>& findings,
                const std::vector<Relation>& relations)
      : relations_(relations) {
    std::map<std::pair<std::string, std::string>, size_t> kinds;
    for (const Finding& finding : findings) {
      const auto known =
          kinds.try_emplace({finding.rule, finding.cause}, examples_.size());
      if (known.second) examples_.push_back(&finding);
      kind_of_.push_back(known.first->second);
    }
    pairs_.resize(examples_.size() * examples_.size());
    looked_up_.resize(pairs_.size());
  }

  // Indices into the relations, in their order.
  const std::vector<size_t>& Between(size_t a, size_t b) {
    const size_t pair = kind_of_[a] * examples_.size() + kind_of_[b];
    if (!looked_up_[pair]) {
      looked_up_[pair] = true;
      LookUp(*examples_[kind_of_[a]], *examples_[kind_of_[b]], &pairs_[pair]);
    }
    return pairs_[pair];
  }

 private:
  void LookUp(const Finding& from, const Finding& to,
              std::vector<size_t>* found) const {
    for (size_t i = 0; i < relations_.size(); ++i) {
      if (MayLink(from, relations_[i], to) &&
          IsAbout(relations_[i], from, to)) {
        found->push_back(i);
      }
    }
  }

  const std::vector<Relation>& relations_;
  std::vector<const Finding*> examples_;
  std::vector<size_t> kind_of_;  // of each finding, index into examples_
  std::vector<std::vector<size_t>> pairs_;
  std::vector<bool> looked_up_;
};

// One run of the ranking over the candidates of one diagnosis.
class Ranking {
 public:
  Ranking(std::vector<Finding>* findings,
          const std::vector<Relation>& relations, int64_t max_work)
      : findings_(*findings),
        relations_(relations),
        index_(*findings, relations),
        work_left_(max_work) {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < findings_.size(); ++i) {
      findings_[i].standing = Standing::kNote;
      findings_[i].links.clear();
      if (IsCandidate(findings_[i])) candidates.push_back(i);
    }
    candidates_ = InOrder(findings_, std::move(candidates));
    demoted_.resize(findings_.size());
  }

  std::vector<size_t> Run() {
    Demote(Relation::Kind::kRefines);
    Demote(Relation::Kind::kExcludes);
    Explain();
    std::vector<size_t> roots = FindRoots();
    FoldEqualCauses(&roots);
    SetStandings(roots);
    return roots;
  }

  bool complete() const { return work_left_ > 0; }

 private:
  // Links b to a by the first relation of the kind that holds between them.
  bool LinkBy(Relation::Kind kind, size_t a, size_t b) {
    for (const size_t i : index_.Between(a, b)) {
      const Relation& relation = relations_[i];
      work_left_ -= relation.kind == kind ? kMatchCost : 1;
      if (work_left_ <= 0) return false;
      if (relation.kind != kind || a == b) continue;
      const Match match = MatchPlaces(relation, findings_[a], findings_[b]);
      if (match.fit != Fit::kHolds) continue;
      const bool known = relation.any_order || match.order != Order::kUnknown;
      findings_[b].links.push_back(
          {a, rules::Word(kind), relation.why, known, relation.place});
      return true;
    }
    return false;
  }

  // Rules 2 and 3. Of two findings that would demote each other, the first in
  // the order stays.
  void Demote(Relation::Kind kind) {
    for (const size_t a : candidates_) {
      if (demoted_[a]) continue;
      for (const size_t b : candidates_) {
        if (!demoted_[b] && LinkBy(kind, a, b)) demoted_[b] = true;
      }
    }
  }

  // Rule 4.
  void Explain() {
    for (const size_t a : candidates_) {
      if (demoted_[a]) continue;
      for (const size_t b : candidates_) {
        if (demoted_[b] || findings_[b].links.size() >= kMaxLinks) {
          continue;
        }
        LinkBy(Relation::Kind::kExplains, a, b);
      }
    }
  }

  void Reach(size_t from, std::vector<bool>* reached) const {
    std::vector<size_t> open{from};
    while (!open.empty()) {
      const size_t a = open.back();
      open.pop_back();
      if ((*reached)[a]) continue;
      (*reached)[a] = true;
      open.insert(open.end(), explains_[a].begin(), explains_[a].end());
    }
  }

  void ReverseLinks() {
    explains_.resize(findings_.size());
    for (const size_t b : candidates_) {
      for (const Link& link : findings_[b].links)
        explains_[link.by].push_back(b);
    }
  }

  // Whether everything that explains it, through any chain, is also explained
  // by it. Then it is part of the ring and not merely below it.
  bool IsInRing(size_t i) const {
    std::vector<bool> below(findings_.size());
    Reach(i, &below);
    std::vector<bool> seen(findings_.size());
    std::vector<size_t> open{i};
    while (!open.empty()) {
      const size_t a = open.back();
      open.pop_back();
      if (seen[a]) continue;
      if (!below[a]) return false;
      seen[a] = true;
      for (const Link& link : findings_[a].links) open.push_back(link.by);
    }
    return true;
  }

  // Rule 5: candidates are in the order of rule 7, so the first of a ring that
  // no root reaches becomes its root and loses its links.
  std::vector<size_t> FindRoots() {
    ReverseLinks();
    std::vector<size_t> roots;
    std::vector<bool> reached(findings_.size());
    for (const size_t i : candidates_) {
      if (!findings_[i].links.empty()) continue;
      roots.push_back(i);
      Reach(i, &reached);
    }
    for (const size_t i : candidates_) {
      if (reached[i] || demoted_[i] || !IsInRing(i)) continue;
      findings_[i].links.clear();
      roots.push_back(i);
      Reach(i, &reached);
    }
    return InOrder(findings_, std::move(roots));
  }

  // Rule 6.
  void FoldEqualCauses(std::vector<size_t>* roots) {
    std::vector<size_t> kept;
    for (const size_t i : *roots) {
      const auto same = std::find_if(kept.begin(), kept.end(), [&](size_t k) {
        return findings_[k].cause == findings_[i].cause;
      });
      if (same == kept.end()) {
        kept.push_back(i);
      } else {
        findings_[i].links.push_back(
            {*same, "same cause", "both name the same cause", true, {}});
      }
    }
    *roots = kept;
  }

  void SetStandings(const std::vector<size_t>& roots) {
    for (const size_t i : candidates_) {
      findings_[i].standing = Standing::kSymptom;
    }
    for (size_t n = 0; n < roots.size(); ++n) {
      Finding& finding = findings_[roots[n]];
      const bool ending = finding.role == rules::Role::kSymptom;
      if (n > 0 && finding.by_code) {
        finding.standing = Standing::kNote;
        continue;
      }
      finding.standing = ending   ? Standing::kUnexplained
                         : n == 0 ? Standing::kRoot
                                  : Standing::kContributing;
    }
  }

  std::vector<Finding>& findings_;
  const std::vector<Relation>& relations_;
  RelationIndex index_;
  int64_t work_left_;
  std::vector<size_t> candidates_;
  std::vector<bool> demoted_;
  std::vector<std::vector<size_t>> explains_;  // findings linked to each
};

}  // namespace

std::vector<size_t> Rank(std::vector<Finding>* findings,
                         const std::vector<Relation>& relations, bool* complete,
                         int64_t max_work) {
  Ranking ranking(findings, relations, max_work);
  std::vector<size_t> roots = ranking.Run();
  if (complete != nullptr) *complete = ranking.complete();
  return roots;
}

}  // namespace inquest::findings
