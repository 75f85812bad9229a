// SPDX-License-Identifier: Apache-2.0
// Former ids of rules and signatures. A renamed rule keeps its old id under
// `aliases`, so that older files still mean it: ends of relations and ids in
// SQL are replaced when all files are read, other places call these functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

// In relations, in the needs of rules, and in SQL texts that equal a former id.
void UseIdsOfToday(RuleSet* set);

// Whether the glob matches the id or one of its former ids.
bool MatchesId(std::string_view glob, const std::string& id,
               const std::vector<std::string>& aliases);

// The current id for a name; the name itself if it is not an alias.
std::string IdOfToday(const Aliases& aliases, const std::string& name);

}  // namespace inquest::rules
