// One finding with all that is behind it, as `inquest explain` prints it: every
// row and line, the relations it stands in, the rivals and why they lost.
#pragma once

#include <string>

#include "analyzer/findings/rank/explain.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::report {

// Both read the diagnosis that the explanation was made from. Foreign text is
// made printable.
std::string ExplainText(const findings::Diagnosis& diagnosis,
                        const findings::Explanation& explanation,
                        const rules::RuleSet& rules);
// The contract "inquest.explanation/1".
std::string ExplainJson(const findings::Diagnosis& diagnosis,
                        const findings::Explanation& explanation,
                        const rules::RuleSet& rules);

}  // namespace inquest::report
