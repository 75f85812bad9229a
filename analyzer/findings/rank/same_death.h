// SPDX-License-Identifier: Apache-2.0
// What other findings of the same death know and the verdict's own does not:
// sizes from a trace, the program's own words from a log, the place in a
// traceback, the number and status of the process, and the rank that its
// launcher saw fail first. Pure.
#pragma once

#include "analyzer/findings/finding.h"

namespace inquest::findings {

// The verdict has a finding.
void AddFromSameDeath(Diagnosis* diagnosis);

}  // namespace inquest::findings
