// SPDX-License-Identifier: Apache-2.0
// Former ids of rules and signatures. A rule that was renamed keeps its old id
// under `aliases`, and files written before still mean it: ends of relations
// and ids in SQL are replaced when all files are read, other places ask here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

// In relations, and in texts of SQL that are a former id as a whole.
void UseIdsOfToday(RuleSet* set);

// Whether the glob matches the id, or a former one of it.
bool MatchesId(std::string_view glob, const std::string& id,
               const std::vector<std::string>& aliases);

// The id that a name stands for today; the name itself where it is no alias.
std::string IdOfToday(const Aliases& aliases, const std::string& name);

}  // namespace inquest::rules
