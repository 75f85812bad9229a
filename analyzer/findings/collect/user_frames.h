// SPDX-License-Identifier: Apache-2.0
// Finds the place in the user's code: for findings in or right below a Python
// traceback, the innermost frame outside Python and packages becomes the figure
// `user_frame`, as "train.py:212 in step"; likewise from the call stack of a
// row that is evidence. What the traceback's frames prove become `phase`
// (loading, forward …, rules/world.yaml) and `place`.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

Status NameUserFrames(facts::Store* store, Diagnosis* diagnosis);

}  // namespace inquest::findings
