// SPDX-License-Identifier: Apache-2.0
// An untrusted rule file and file of rule tests.
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
