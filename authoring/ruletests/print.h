// SPDX-License-Identifier: Apache-2.0
// Test results as a person reads them. Foreign text is made printable.
#pragma once

#include <string>

#include "authoring/ruletests/runner.h"

namespace inquest::ruletests {

struct PrintOptions {
  bool diff = false;      // a table of what was expected and what came
  bool coverage = false;  // rules by cause, and what lacks a case
  bool whole = false;     // a lacking case is a failure, so it is listed
};

std::string PrintRun(const Run& run, const Coverage& coverage,
                     const PrintOptions& options);

}  // namespace inquest::ruletests
