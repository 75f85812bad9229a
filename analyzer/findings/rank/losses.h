// SPDX-License-Identifier: Apache-2.0
// What the recordings of a run do not hold although it happened: records that
// found no room, were being written as the process died, or lie in a trace that
// was rolled back. A verdict says so, and is less sure where it rests on them.
// Called by verdict.cc at the end.
#pragma once

#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

// Fills diagnosis->losses and ->gaps (gaps.h). Rows that a trace thins out on
// purpose (trace/store/retention.h), such as the older of many samples, are no
// losses.
Status FindMissing(facts::Store* store, Diagnosis* diagnosis);

// "4,834,324 memory events and 3 other records are not in the trace (…)"; ""
// without losses.
std::string LossSentence(const std::vector<Loss>& losses);

// The sentences about its losses and gaps, for the first lines of a report.
std::vector<std::string> WhatIsMissing(const Diagnosis& diagnosis);

// FindMissing; and if more than one memory event in a
// hundred is missing, or a process was not recorded for more than a hundredth
// of its time, a verdict by a rule for traces loses a grade of confidence; by
// the former alone, one that nothing failed, too.
Status WeighLosses(facts::Store* store, Diagnosis* diagnosis);

}  // namespace inquest::findings
