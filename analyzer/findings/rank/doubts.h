// SPDX-License-Identifier: Apache-2.0
// What a verdict leaves open, which evidence would settle it, and how to get
// that evidence. Part of the verdict; reads the store's coverage.
#pragma once

#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

// Kinds of missing evidence that would say more about the cause, which the
// rule `by` names; empty: no rule.
std::vector<std::string> MissingEvidence(facts::Store* store,
                                         const std::string& cause,
                                         const std::string& by, bool failed);

// The roots that rank below the first only by name, and what would decide.
// `roots` are in their order.
std::vector<Tie> FindTies(const std::vector<Finding>& findings,
                          const std::vector<size_t>& roots);

// For an ending without a cause: that something else leads to such an ending
// (from the relations), and ranks that it names but whose logs are missing.
std::vector<std::string> MissingCause(
    facts::Store* store, const Finding& ending,
    const std::vector<rules::Relation>& relations);

}  // namespace inquest::findings
