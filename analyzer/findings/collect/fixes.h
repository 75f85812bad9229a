// Which steps of a finding's fix make sense for the run at hand. Called once,
// when all findings have their figures.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

// Leaves out steps meant for a framework (`when`) that the run does not show,
// unless it shows none at all, and steps whose figure (`applies_if`) is absent,
// 0 or empty.
Status KeepFixesThatApply(facts::Store* store, Diagnosis* diagnosis);

}  // namespace inquest::findings
