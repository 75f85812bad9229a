// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/relations.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "analyzer/findings/rank/relation_index.h"
#include "analyzer/findings/rank/relation_match.h"
#include "analyzer/findings/rank/root_order.h"
#include "analyzer/rules/model/rule_words.h"

namespace inquest::findings {
namespace {

using rules::Relation;

// Kept for each finding; more explanations add nothing.
constexpr size_t kMaxLinks = 32;

bool IsCandidate(const Finding& finding) {
  return finding.severity == rules::Severity::kError && !finding.survived &&
         finding.role != rules::Role::kNote;
}

// What one process did or met with, and not what its peers did to it.
bool IsOwnFailure(const Finding& finding) {
  return finding.role == rules::Role::kCause && !finding.by_code &&
         !finding.cause.starts_with("distributed/");
}

// One run of the ranking over the candidates of one diagnosis.
class Ranking {
 public:
  Ranking(std::vector<Finding>* findings,
          const std::vector<Relation>& relations, int64_t max_work)
      : findings_(*findings), relations_(relations), work_left_(max_work) {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < findings_.size(); ++i) {
      findings_[i].standing = Standing::kNote;
      findings_[i].links.clear();
      if (IsCandidate(findings_[i])) candidates.push_back(i);
    }
    candidates_ = InOrder(findings_, std::move(candidates));
    index_.emplace(findings_, candidates_, relations_);
    linked_.resize(findings_.size(), SIZE_MAX);
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
  // Links to a, by the first relation of the kind that holds between the two,
  // each candidate that is open to it.
  template <typename IsOpen, typename Use>
  void LinkAll(Relation::Kind kind, size_t a, IsOpen is_open, Use use) {
    linked_[a] = a;
    for (const size_t i : index_->From(kind, a)) {
      targets_.clear();
      work_left_ -= index_->Targets(i, a, &targets_);
      if (work_left_ <= 0) return;
      for (const size_t b : targets_) {
        if (linked_[b] == a || !is_open(b) || !TryLink(i, a, b)) continue;
        linked_[b] = a;
        use(b);
      }
    }
  }

  bool TryLink(size_t relation, size_t a, size_t b) {
    const Relation& one = relations_[relation];
    work_left_ -= Cost(one, a, b);
    const Match match = MatchPlaces(one, findings_[a], findings_[b]);
    if (match.fit != Fit::kHolds) return false;
    const bool known = one.any_order || match.order != Order::kUnknown;
    findings_[b].links.push_back(
        {a, rules::Word(one.kind), one.why, known, one.place});
    return true;
  }

  // In about 10 ns.
  int64_t Cost(const Relation& relation, size_t a, size_t b) const {
    const auto size = [](const auto& list) { return std::ssize(list); };
    return 4 + size(findings_[a].lines) +
           (relation.scope == Relation::Scope::kEvent
                ? size(findings_[a].evidence) * size(findings_[b].evidence) / 4
                : 0);
  }

  // Rules 2 and 3. Of two findings that would demote each other, the first in
  // the order stays.
  void Demote(Relation::Kind kind) {
    for (const size_t a : candidates_) {
      if (demoted_[a]) continue;
      LinkAll(
          kind, a, [this](size_t b) { return !demoted_[b]; },
          [this](size_t b) { demoted_[b] = true; });
    }
    std::fill(linked_.begin(), linked_.end(), SIZE_MAX);
  }

  // Rule 4.
  void Explain() {
    const auto is_open = [this](size_t b) {
      return !demoted_[b] && findings_[b].links.size() < kMaxLinks;
    };
    for (const size_t a : candidates_) {
      if (demoted_[a]) continue;
      LinkAll(Relation::Kind::kExplains, a, is_open, [](size_t) {});
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
      edges_ += std::ssize(findings_[b].links);
      for (const Link& link : findings_[b].links) {
        explains_[link.by].push_back(b);
      }
    }
  }

  // All that explains it, through any chain, if it explains all of these, too:
  // then it is part of that ring and not merely below it. Else empty.
  std::vector<bool> RingOf(size_t i) {
    std::vector<bool> seen(findings_.size());
    if (work_left_ <= 0) {
      seen[i] = true;
      return seen;
    }
    std::vector<bool> below(findings_.size());
    Reach(i, &below);
    std::vector<size_t> open{i};
    work_left_ -= edges_ / 2 + std::ssize(findings_) / 16;
    while (!open.empty()) {
      const size_t a = open.back();
      open.pop_back();
      if (seen[a]) continue;
      if (!below[a]) return {};
      seen[a] = true;
      for (const Link& link : findings_[a].links) open.push_back(link.by);
    }
    return seen;
  }

  // A rank that lost its peer did not begin it, where another failed by itself.
  size_t RootOfRing(size_t first, const std::vector<bool>& ring) const {
    if (findings_[first].cause != "distributed/peer-lost") return first;
    const auto own = std::ranges::find_if(candidates_, [&](size_t i) {
      return ring[i] && !demoted_[i] && IsOwnFailure(findings_[i]);
    });
    return own == candidates_.end() ? first : *own;
  }

  // Rule 5: candidates are in the order of rule 7, so the first of a ring that
  // no root reaches becomes its root and loses its links; of a ring with a lost
  // peer the first that failed by itself.
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
      if (reached[i] || demoted_[i]) continue;
      const std::vector<bool> ring = RingOf(i);
      if (ring.empty()) continue;
      const size_t root = RootOfRing(i, ring);
      findings_[root].links.clear();
      roots.push_back(root);
      Reach(root, &reached);
    }
    return RootsInOrder(findings_, std::move(roots));
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
  int64_t work_left_;
  std::vector<size_t> candidates_;
  std::optional<RelationIndex> index_;
  std::vector<size_t> targets_;  // of one relation
  std::vector<size_t> linked_;   // the last one that each was linked to
  int64_t edges_ = 0;
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
