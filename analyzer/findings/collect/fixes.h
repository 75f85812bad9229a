// SPDX-License-Identifier: Apache-2.0
// Which steps of a finding's fix apply to this run. Called once, when all
// findings have their figures.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

// Removes steps for a framework (`when`) that the run does not use, unless no
// framework is known and nothing was recorded, and steps whose figure
// (`applies_if`) is absent, 0 or empty. Fills the {figures} of the others; a
// step that lacks one is removed, as is a command whose figure is not a
// plain word. On Windows, steps that only Linux can do are removed, too.
Status KeepFixesThatApply(facts::Store* store, Diagnosis* diagnosis);

}  // namespace inquest::findings
