// SPDX-License-Identifier: Apache-2.0
// The verdict where nothing says how a run ended: what the log shows instead,
// how far the run came, and what would decide. Called by ending_verdict.cc.
#pragma once

#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

// `worked`: there are signs of ordinary work. `survived`: what the log goes on
// after, as an end of the summary. The verdict's open question is filled.
void NameNoEnd(facts::Store* store, bool worked, const std::string& survived,
               Verdict* verdict);

}  // namespace inquest::findings
