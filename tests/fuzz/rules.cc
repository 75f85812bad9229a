// SPDX-License-Identifier: Apache-2.0
// A rule file and a file of tests from strangers.
#include "analyzer/rules/load/loader.h"
#include "authoring/ruletests/test_loader.h"
#include "tests/fuzz/target.h"

void FuzzOne(const std::string& bytes) {
  using namespace inquest;
  const rules::RuleSource source{"fuzzed.yaml", bytes, true};
  Diagnostics diagnostics;
  rules::LoadRules({source}, &diagnostics);
  ruletests::LoadTestFile({"fuzzed.test.yaml", bytes, true}, &diagnostics);
}
