// SPDX-License-Identifier: Apache-2.0
// One finding with its evidence, as `inquest explain` prints it: each row and
// line, the relations that link it to others, the rivals and why they lost.
#pragma once

#include <string>

#include "analyzer/findings/rank/explain.h"
#include "analyzer/report/redact/redactor.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::report {

// `diagnosis` is the one that the explanation was made from. Text from logs and
// rules is made printable. With a redactor, by which the diagnosis is redacted
// already, what rule files tell is redacted, too.
std::string ExplainText(const findings::Diagnosis& diagnosis,
                        const findings::Explanation& explanation,
                        const rules::RuleSet& rules,
                        Redactor* redactor = nullptr);
// The contract "inquest.explanation/1".
std::string ExplainJson(const findings::Diagnosis& diagnosis,
                        const findings::Explanation& explanation,
                        const rules::RuleSet& rules,
                        Redactor* redactor = nullptr);

}  // namespace inquest::report
