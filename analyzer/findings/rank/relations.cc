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

// Explanations kept of one finding; more of them say nothing more.
constexpr size_t kMaxLinks = 32;
constexpr int64_t kWorkOfAMatch = 10;  // looking at a relation is 1

bool IsCandidate(const Finding& finding) {
  return finding.severity == rules::Severity::kError && !finding.survived &&
         finding.role != rules::Role::kNote;
}

// Which relations speak of a pair of findings is a question of their rules and
// causes alone. A job of a thousand ranks has thousands of findings but few
// rules, so each pair of rules is looked up once.
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
      if (IsAbout(relations_[i], from, to)) found->push_back(i);
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
    stepped_back_.resize(findings_.size());
  }

  std::vector<size_t> Run() {
    StepBack(Relation::Kind::kRefines);
    StepBack(Relation::Kind::kExcludes);
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
      work_left_ -= relation.kind == kind ? kWorkOfAMatch : 1;
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

  // Rules 2 and 3. Of two that would each put the other back, the first in the
  // order stays.
  void StepBack(Relation::Kind kind) {
    for (const size_t a : candidates_) {
      if (stepped_back_[a]) continue;
      for (const size_t b : candidates_) {
        if (!stepped_back_[b] && LinkBy(kind, a, b)) stepped_back_[b] = true;
      }
    }
  }

  // Rule 4.
  void Explain() {
    for (const size_t a : candidates_) {
      if (stepped_back_[a]) continue;
      for (const size_t b : candidates_) {
        if (stepped_back_[b] || findings_[b].links.size() >= kMaxLinks) {
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
      open.insert(open.end(), behind_[a].begin(), behind_[a].end());
    }
  }

  void TurnLinks() {
    behind_.resize(findings_.size());
    for (const size_t b : candidates_) {
      for (const Link& link : findings_[b].links) behind_[link.by].push_back(b);
    }
  }

  // Whether whatever explains it, through any chain, is explained by it too:
  // then it stands in the ring and does not merely hang below it.
  bool IsInRing(size_t i) const {
    std::vector<bool> behind(findings_.size());
    Reach(i, &behind);
    std::vector<bool> seen(findings_.size());
    std::vector<size_t> open{i};
    while (!open.empty()) {
      const size_t a = open.back();
      open.pop_back();
      if (seen[a]) continue;
      if (!behind[a]) return false;
      seen[a] = true;
      for (const Link& link : findings_[a].links) open.push_back(link.by);
    }
    return true;
  }

  // Rule 5: candidates come in the order of rule 7, so the first of a ring
  // that no root reaches becomes its root; its own links are taken back.
  std::vector<size_t> FindRoots() {
    TurnLinks();
    std::vector<size_t> roots;
    std::vector<bool> reached(findings_.size());
    for (const size_t i : candidates_) {
      if (!findings_[i].links.empty()) continue;
      roots.push_back(i);
      Reach(i, &reached);
    }
    for (const size_t i : candidates_) {
      if (reached[i] || stepped_back_[i] || !IsInRing(i)) continue;
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
  std::vector<bool> stepped_back_;
  std::vector<std::vector<size_t>> behind_;  // findings linked to each
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
