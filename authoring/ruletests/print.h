// SPDX-License-Identifier: Apache-2.0
// Test results as text. Text from files is made printable.
#pragma once

#include <string>

#include "authoring/ruletests/runner.h"

namespace inquest::ruletests {

struct PrintOptions {
  bool diff = false;      // a table of expected and actual results
  bool coverage = false;  // rules by cause, and missing cases
  bool whole = false;     // a missing case is a failure, so it is listed
};

std::string PrintRun(const Run& run, const Coverage& coverage,
                     const PrintOptions& options);

}  // namespace inquest::ruletests
