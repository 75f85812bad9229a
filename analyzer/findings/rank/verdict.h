// SPDX-License-Identifier: Apache-2.0
// From ranked findings to one verdict: the first root if there is one. Without
// one, "none" needs a proof: of a clean end, which the verdict names, or that
// the run is alive. Everything else is "unknown", with what a person needs to
// investigate (open_question.h). Called once, as the last stage of the
// analysis.
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
