// SPDX-License-Identifier: Apache-2.0
// The words of an exception that go on below its line: "missing values for the
// following fields:", "1 validation error for Settings". Only the last lines of
// a log are kept, which is where a program's death stands.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

// Adds them to the verdict's summary, if its own words end before them. The
// verdict has a finding.
void QuoteWordsBelow(facts::Store* store, Diagnosis* diagnosis);

}  // namespace inquest::findings
