// SPDX-License-Identifier: Apache-2.0
// Compares what a test expects with the diagnosis: the differences, key by key,
// in words. Pure computation.
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

// The id of the rule or signature that the verdict rests on; may be empty.
std::string VerdictRule(const findings::Diagnosis& diagnosis);

// Whether the finding meets the expectation. `why`, where not null, gets the
// first thing that differs.
bool Meets(const FindingExpectation& expected, const findings::Finding& finding,
           const Figures& figures, Difference* why);

}  // namespace inquest::ruletests
