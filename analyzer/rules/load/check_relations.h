// SPDX-License-Identifier: Apache-2.0
// Do the ends of relations stand for anything: a cause of the taxonomy or of a
// rule, or a rule's or signature's id. Removes relations that do not. Internal
// to the loader.
#pragma once

#include <set>
#include <string>

#include "analyzer/rules/load/loader_report.h"

namespace inquest::rules {

// `ids` are all ids in the files, also of entries that did not load: their own
// error is enough.
void CheckRelations(const std::set<std::string>& ids, RuleSet* set,
                    Reporter* reporter);

}  // namespace inquest::rules
