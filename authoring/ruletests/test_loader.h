// SPDX-License-Identifier: Apache-2.0
// Loads test files: reads the YAML (restricted and bounded, as in rule files),
// checks every key and reports errors with place, reason and help. A test with
// an error is left out, the others load. Called by `rules test` before any test
// runs; opens no fixture.
#pragma once

#include "analyzer/rules/load/loader.h"
#include "authoring/ruletests/test_model.h"
#include "base/diagnostic.h"

namespace inquest::ruletests {

TestFile LoadTestFile(const rules::RuleSource& source,
                      Diagnostics* diagnostics);

}  // namespace inquest::ruletests
