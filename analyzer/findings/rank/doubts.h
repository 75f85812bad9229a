// What a verdict leaves open and what would settle it, in words that say how to
// get it. Part of the verdict; reads the store's coverage.
#pragma once

#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

// Kinds of evidence that were not there to look at.
std::vector<std::string> MissingEvidence(facts::Store* store);

// The roots that nothing but their names puts behind the first, and what would
// tell them apart. `roots` in their order.
std::vector<Tie> FindTies(const std::vector<Finding>& findings,
                          const std::vector<size_t>& roots);

// For an ending without a cause: which causes end so by the relations, which
// of them could not be looked for, and ranks that it names but left no log.
std::vector<std::string> MissingCause(
    facts::Store* store, const Diagnosis& diagnosis, const Finding& ending,
    const std::vector<rules::Relation>& relations);

}  // namespace inquest::findings
