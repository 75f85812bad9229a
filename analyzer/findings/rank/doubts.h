// SPDX-License-Identifier: Apache-2.0
// What a verdict leaves open, and which evidence would settle it and how to get
// it. Part of the verdict; reads the store's coverage.
#pragma once

#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

// Kinds of evidence that were missing.
std::vector<std::string> MissingEvidence(facts::Store* store);

// The roots that only their names rank below the first, and what would decide.
// `roots` in their order.
std::vector<Tie> FindTies(const std::vector<Finding>& findings,
                          const std::vector<size_t>& roots);

// For an ending without a cause: which causes lead to it by the relations,
// which rules for them could not run, and ranks that it names but that left no
// log.
std::vector<std::string> MissingCause(
    facts::Store* store, const Diagnosis& diagnosis, const Finding& ending,
    const std::vector<rules::Relation>& relations);

}  // namespace inquest::findings
