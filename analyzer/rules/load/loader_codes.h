// SPDX-License-Identifier: Apache-2.0
// The stable codes of all diagnostics about rule files: a table with a title
// and a long explanation each, for `inquest rules lint` and the documentation.
// Codes are never reused.
#pragma once

#include <string_view>
#include <vector>

namespace inquest::rules {

struct RuleCode {
  std::string_view code;         // R001
  std::string_view title;        // one clause
  std::string_view explanation;  // why it matters, how to fix it
};

const std::vector<RuleCode>& RuleCodes();
const RuleCode* FindRuleCode(std::string_view code);

}  // namespace inquest::rules
