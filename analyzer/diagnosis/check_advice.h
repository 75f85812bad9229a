// SPDX-License-Identifier: Apache-2.0
// Holds a verdict's advice on memory against what a replay of the run says
// (whatif.h): a setting that would not have let the run survive is not advised,
// and one that would have comes first. For Pipeline, after the verdict.
//
// Only for verdicts about memory, and only for runs whose replay takes less
// than about a second; for others the advice stands and `inquest whatif` is
// named. A replay that fails changes nothing.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::diagnosis {

void CheckAdvice(facts::Store* store, findings::Diagnosis* diagnosis);

}  // namespace inquest::diagnosis
