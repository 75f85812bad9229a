// From ranked findings to one verdict: the first root where the run died, none
// where it did not, unknown where nothing in evidence says why. Called once,
// last of the analysis.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

// Ranks diagnosis->findings, gives them ids and fills diagnosis->verdict.
Status Decide(facts::Store* store,
              const std::vector<rules::Relation>& relations,
              Diagnosis* diagnosis);

}  // namespace inquest::findings
