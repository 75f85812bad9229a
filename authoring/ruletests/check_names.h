// SPDX-License-Identifier: Apache-2.0
// A misspelt name in `absent` would make a test that cannot fail: every rule,
// signature and cause that a test names must exist among the loaded rules.
// Called once, between loading and running.
#pragma once

#include <vector>

#include "analyzer/rules/load/loader.h"
#include "authoring/ruletests/test_model.h"
#include "base/diagnostic.h"

namespace inquest::ruletests {

// Replaces former ids by current ones in the expectations.
void UseIdsOfToday(const rules::RuleSet& rules, std::vector<TestFile>* files);

// `sources` are the test files' texts, for the lines shown.
void CheckNames(const std::vector<TestFile>& files,
                const std::vector<rules::RuleSource>& sources,
                const rules::RuleSet& rules, Diagnostics* diagnostics);

}  // namespace inquest::ruletests
