// SPDX-License-Identifier: Apache-2.0
// Checks that the ends of relations exist: a cause of the taxonomy or of a
// rule, or the id of a rule or signature; and the signatures that rules need.
// Removes relations that fail. Internal to the loader.
#pragma once

#include <set>
#include <string>

#include "analyzer/rules/load/loader_report.h"

namespace inquest::rules {

// `ids` are all ids in the files, including entries that did not load: they
// already have an error.
void CheckRelations(const std::set<std::string>& ids, RuleSet* set,
                    Reporter* reporter);
void CheckNeeds(const std::set<std::string>& ids, const RuleSet& set,
                Reporter* reporter);

}  // namespace inquest::rules
