// SPDX-License-Identifier: Apache-2.0
// Why one finding ranks where it does: what explains it and what it explains,
// which rivals it beat or lost to, and which relations nearly applied and why
// they did not. Computed after the ranking, with the same functions.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/findings/rank/relation_match.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

struct Rival {
  size_t finding = 0;  // another root, by index
  bool lost = false;   // it lost to the finding; otherwise the finding lost
  std::string why;
};

struct NearMiss {
  size_t finding = 0;
  const rules::Relation* relation = nullptr;
  bool would_explain = false;  // the other explains this one; else reversed
  Fit fit = Fit::kHolds;
};

struct Explanation {
  size_t finding = 0;
  std::vector<Link> explained_by;                 // as in Finding::links
  std::vector<std::pair<size_t, Link>> explains;  // which, and its link
  std::vector<Rival> rivals;
  std::vector<NearMiss> near;
};

// `diagnosis` and `relations` must outlive the explanation.
Explanation Explain(const Diagnosis& diagnosis,
                    const std::vector<rules::Relation>& relations,
                    size_t finding);

// Why a relation did not hold, in a clause about "it" and "the other".
std::string_view WhyNot(Fit fit);

// The findings that a word names: an id (F2), a rule's id, a cause, or
// "verdict".
std::vector<size_t> FindingsNamed(const Diagnosis& diagnosis,
                                  std::string_view word);

}  // namespace inquest::findings
