// SPDX-License-Identifier: Apache-2.0
// Separates root causes from symptoms. Relations say which finding explains
// which; what is not explained is a root, and the first root is the verdict.
//
// The algorithm, in the order in which it runs:
//   1. Candidates are findings of severity error that the run did not survive.
//      All others are notes and do not take part.
//   2. Refines: of two findings about the same event, the less exact one
//   becomes
//      a symptom. A finding demoted here explains nothing itself.
//   3. Excludes: a finding that another one makes impossible becomes a symptom.
//   4. Explains: an edge is drawn if the causes match, the units are in the
//      relation's scope, and the order allows it: the explaining finding begins
//      no later than the explained one ends, within the clocks' error. If
//      neither a clock nor a log orders the two, the edge is kept and marked.
//      Between findings of the same cause only relations by id draw edges.
//   5. Roots are the candidates that no edge leads to. In a ring of findings
//      that explain each other, the first of its members by the order below
//      is the root; if that is a lost peer, the first that failed by itself.
//   6. Findings of the same cause say the same thing: the first is the root,
//      the others are its symptoms.
//   7. Roots are ordered (root_order.h): causes before endings, then by layer
//      (hardware and host, driver and versions, memory and kernels, libraries,
//      collectives, teardown), then the one that certainly began first, then by
//      confidence, count and name, so that equal input gives equal output. If
//      only the name decides, it is a tie, and the verdict says so.
//   8. Roots that lie long before another one (long_past.h) come last, ahead of
//      rule 6.
//
// Invariants: every candidate ends as root, contributing, unexplained or
// symptom; every symptom has a link to a finding that is not its own symptom
// through any chain; if there are candidates, there is a root. Cost is
// quadratic in the number of candidates, which is bounded by the engine.
#pragma once

#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

// Limit on matching pairs of findings with relations, in comparisons of about
// 10 ns; later pairs stay unlinked. A job of a thousand ranks needs a tenth.
inline constexpr int64_t kMaxWork = 100'000'000;

// Sets standing and links of each finding. Returns the indices of the roots,
// the verdict's own first. `complete` is false if `max_work` was not enough.
std::vector<size_t> Rank(std::vector<Finding>* findings,
                         const std::vector<rules::Relation>& relations,
                         bool* complete = nullptr, int64_t max_work = kMaxWork);

}  // namespace inquest::findings
