// Test files into tests: reads the YAML of rule files (restricted, bounded),
// checks every key and says what is wrong with place, reason and help. A test
// with a mistake is left out and the rest loads. Called by `rules test` before
// anything runs; opens no fixture.
#pragma once

#include "analyzer/rules/load/loader.h"
#include "authoring/ruletests/test_model.h"
#include "base/diagnostic.h"

namespace inquest::ruletests {

TestFile LoadTestFile(const rules::RuleSource& source,
                      Diagnostics* diagnostics);

}  // namespace inquest::ruletests
