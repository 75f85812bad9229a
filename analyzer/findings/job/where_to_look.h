// SPDX-License-Identifier: Apache-2.0
// Where a job's failure began, as far as it can be told. A watchdog's line is
// of a rank that waited: the verdict then names the rank that did not, if there
// is one, or no rank. What all ranks met alike is no single machine's matter.
// Called by DescribeJob once the job's suspects are known; changes the
// verdict's place and sentence, never a finding. Pure.
#pragma once

#include "analyzer/findings/finding.h"

namespace inquest::findings {

void NameWhereToLook(const Job& job, Diagnosis* diagnosis);

// Ranks that report how they suffered: that they waited, or lost a peer.
Ranks SufferersOf(const Job& job);

// Whether the verdict is what ranks suffered, or nothing.
bool IsOpen(const Verdict& verdict);

}  // namespace inquest::findings
