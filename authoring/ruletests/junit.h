// SPDX-License-Identifier: Apache-2.0
// Test results as JUnit XML, for CI systems: a suite per file, a case per test,
// todo as skipped. Text is escaped; characters that XML does not allow are
// removed.
#pragma once

#include <string>

#include "authoring/ruletests/runner.h"

namespace inquest::ruletests {

std::string JUnitXml(const Run& run);

}  // namespace inquest::ruletests
