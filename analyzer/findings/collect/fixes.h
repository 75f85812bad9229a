// SPDX-License-Identifier: Apache-2.0
// Which steps of a finding's fix apply to this run. Called once, when all
// findings have their figures.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/collect/run_world.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

// Removes steps for a framework, vendor or platform (`when`) that the run does
// not have, steps whose text or command cannot act in the run's world, and
// those that figures of the finding or settings of the run rule out
// (`applies_if`, `unless`); frameworks.h says which frameworks can be. Fills
// the {figures} of the others; a step that lacks one is removed, as is a
// command whose figure is not a plain word.
Status KeepFixesThatApply(facts::Store* store, const RunWorld& world,
                          Diagnosis* diagnosis);

}  // namespace inquest::findings
