// SPDX-License-Identifier: Apache-2.0
// The place in the user's own code: for findings in or right below a Python
// traceback, the innermost frame that is not Python's or a package's becomes
// their figure `user_frame`, as "train.py:212 in step"; likewise for the call
// stack of a row that is their evidence.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

Status NameUserFrames(facts::Store* store, Diagnosis* diagnosis);

}  // namespace inquest::findings
