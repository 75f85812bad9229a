// SPDX-License-Identifier: Apache-2.0
// Where in a long line stands what a signature recognised, so that a report
// quotes that and not another part of the line. Called once, when all findings
// are made.
#pragma once

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

// Of the first lines of each finding's evidence.
void FindMatchedParts(const rules::RuleSet& rules, Diagnosis* diagnosis);

}  // namespace inquest::findings
