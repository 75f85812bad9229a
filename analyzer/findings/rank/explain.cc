// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/explain.h"

#include "analyzer/findings/rank/root_order.h"

namespace inquest::findings {
namespace {

bool IsRoot(const Finding& finding) {
  return finding.standing == Standing::kRoot ||
         finding.standing == Standing::kContributing ||
         finding.standing == Standing::kUnexplained;
}

// The other roots, in the order of the ranking.
std::vector<Rival> RivalsOf(const Diagnosis& diagnosis, size_t finding) {
  std::vector<Rival> rivals;
  const auto& all = diagnosis.findings;
  if (!IsRoot(all[finding])) return rivals;
  const std::vector<size_t> roots = [&] {
    std::vector<size_t> found;
    for (size_t i = 0; i < all.size(); ++i) {
      if (IsRoot(all[i])) found.push_back(i);
    }
    return RootsInOrder(all, found);
  }();
  bool passed = false;
  for (const size_t i : roots) {
    if (i == finding) {
      passed = true;
      continue;
    }
    const Finding& first = passed ? all[finding] : all[i];
    const Finding& second = passed ? all[i] : all[finding];
    rivals.push_back({i, passed, WhyFirst(first, second).why});
  }
  return rivals;
}

bool AreLinked(const Diagnosis& diagnosis, size_t a, size_t b) {
  for (const Link& link : diagnosis.findings[b].links) {
    if (link.by == a) return true;
  }
  return false;
}

void AddNearMisses(const Diagnosis& diagnosis,
                   const std::vector<rules::Relation>& relations,
                   size_t finding, Explanation* explanation) {
  const Finding& self = diagnosis.findings[finding];
  if (self.standing == Standing::kNote) return;
  for (size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const Finding& other = diagnosis.findings[i];
    if (i == finding || other.standing == Standing::kNote) continue;
    if (AreLinked(diagnosis, i, finding) || AreLinked(diagnosis, finding, i)) {
      continue;
    }
    for (const rules::Relation& relation : relations) {
      const Fit explained = MatchRelation(relation, other, self).fit;
      const Fit explains = MatchRelation(relation, self, other).fit;
      if (explained != Fit::kHolds && explained != Fit::kOtherCauses) {
        explanation->near.push_back({i, &relation, true, explained});
      }
      if (explains != Fit::kHolds && explains != Fit::kOtherCauses) {
        explanation->near.push_back({i, &relation, false, explains});
      }
    }
  }
}

}  // namespace

Explanation Explain(const Diagnosis& diagnosis,
                    const std::vector<rules::Relation>& relations,
                    size_t finding) {
  Explanation explanation;
  explanation.finding = finding;
  explanation.explained_by = diagnosis.findings[finding].links;
  for (size_t i = 0; i < diagnosis.findings.size(); ++i) {
    for (const Link& link : diagnosis.findings[i].links) {
      if (link.by == finding) explanation.explains.emplace_back(i, link);
    }
  }
  explanation.rivals = RivalsOf(diagnosis, finding);
  AddNearMisses(diagnosis, relations, finding, &explanation);
  return explanation;
}

std::string_view WhyNot(Fit fit) {
  switch (fit) {
    case Fit::kOtherScope:
      return "the two are in different places (rank, device, host or line)";
    case Fit::kOtherThing:
      return "each names another node, process or the like";
    case Fit::kTooLate:
      return "too much time passed between the two";
    case Fit::kWrongOrder:
      return "the cause would have begun after its consequence";
    case Fit::kHolds:
    case Fit::kOtherCauses:
      break;
  }
  return "";
}

std::vector<size_t> FindingsNamed(const Diagnosis& diagnosis,
                                  std::string_view word) {
  std::vector<size_t> named;
  for (size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const Finding& finding = diagnosis.findings[i];
    const bool verdict = word == "verdict" && diagnosis.verdict.finding == i;
    if (verdict || word == finding.id || word == finding.rule ||
        word == finding.cause) {
      named.push_back(i);
    }
  }
  return named;
}

}  // namespace inquest::findings
