// SPDX-License-Identifier: Apache-2.0
// Tests every signature on its own samples, with the same set that scans logs:
// what it must match with which figures, and what it must not match. Removes
// signatures that fail from the set. Internal to the loader.
#pragma once

#include <set>
#include <string>

#include "analyzer/rules/load/loader_report.h"

namespace inquest::rules {

// Only signatures from the named sources are tested.
void CheckSamples(const std::set<std::string>& sources, RuleSet* set,
                  Reporter* reporter);

}  // namespace inquest::rules
