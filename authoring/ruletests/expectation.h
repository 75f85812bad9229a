// SPDX-License-Identifier: Apache-2.0
// Compares a test's expectations with the diagnosis and describes the
// differences, key by key. Pure computation.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/finding.h"
#include "authoring/ruletests/test_model.h"

namespace inquest::ruletests {

struct Difference {
  std::string key;  // of `expect`: verdict, findings, facts, …
  std::string expected;
  std::string got;
};

std::vector<Difference> Compare(const Expectation& expect,
                                const findings::Diagnosis& diagnosis);

// Whether the finding meets the expectation. `why`, if not null, gets the first
// difference.
bool Meets(const FindingExpectation& expected, const findings::Finding& finding,
           const Figures& figures, Difference* why);

}  // namespace inquest::ruletests
