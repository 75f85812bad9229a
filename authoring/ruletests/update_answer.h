// SPDX-License-Identifier: Apache-2.0
// The actual result in the form of a test's expectation: the lines of YAML that
// `rules test --update` writes in place of an expectation that failed.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/finding.h"
#include "authoring/ruletests/test_model.h"

namespace inquest::ruletests {

// The lines of one key of `expect`, indented by `indent`; none if nothing is
// left to expect.
std::vector<std::string> AnswerLines(const Expectation& expect,
                                     const findings::Diagnosis& diagnosis,
                                     const std::string& key,
                                     const std::string& indent);

}  // namespace inquest::ruletests
