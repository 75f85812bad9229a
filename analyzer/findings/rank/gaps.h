// SPDX-License-Identifier: Apache-2.0
// When device memory was not recorded although the program may have used it: a
// profiler of its own held CUPTI, CUPTI was not found, or the collector had
// switched itself off. Blocks that came and went meanwhile are in no trace; nor
// is what a process that died had only in memory. Called by losses.cc.
#pragma once

#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

// The longest first; nothing about processes that never loaded CUDA.
Expected<std::vector<Gap>> FindGaps(facts::Store* store);

// "the beginning is not in the trace (…)"; "" if they are in all traces.
std::string BeginningSentence(const std::vector<Gap>& gaps);

// Whether records were only in memory when the process died: how long is not
// known, so missed_ns is 0.
inline bool IsAtEnd(const Gap& gap) {
  return !gap.at_beginning && gap.missed_ns == 0;
}

// "the end may not be in the trace (…)"; "" if nothing was only in memory.
std::string EndSentence(const std::vector<Gap>& gaps);

// "CUDA calls were not recorded for 12 s of 5.0 min (…)"; "" without other
// gaps.
std::string GapSentence(const std::vector<Gap>& gaps);

}  // namespace inquest::findings
