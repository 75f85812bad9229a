// SPDX-License-Identifier: Apache-2.0
// All checks of `inquest doctor`, within two seconds: what may hang is asked in
// children that work at the same time.
#pragma once

#include <string>

#include "cli/doctor/check.h"

namespace inquest::doctor {

// `directory`: where runs would be kept.
Checks Examine(const std::string& directory);
// The most serious state; kOk of none.
State WorstOf(const Checks& checks);

std::string DoctorText(const Checks& checks, bool colour);
std::string DoctorJson(const Checks& checks, const std::string& version);

}  // namespace inquest::doctor
