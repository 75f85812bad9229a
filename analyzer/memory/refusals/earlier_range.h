// SPDX-License-Identifier: Apache-2.0
// What an earlier run in the same process still holds, known by ranges that the
// program named itself: "fold 0" and "fold 1", "trial A" of one study after the
// other. For runs whose code is not the same, which earlier_run.h cannot
// recognize by repetition. Pure computation, for earlier_run_facts.cc.
//
// Ranges whose names differ only in numbers are a series of runs if there are
// few of them, they follow each other, and the request was refused in the last
// one. Steps and operations are not runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/memory/refusals/earlier_run.h"

namespace inquest::memory {

struct RunRange {
  std::string name;
  int64_t begin = 0;
  std::optional<int64_t> end;  // none: open at the end of the trace
};

struct EarlierRange {
  EarlierRun run;  // its `later` is the refused request
  std::string name, later_name;
};

// `ranges` by their begin; times as the blocks have them.
std::optional<EarlierRange> FindEarlierRange(
    const HeldAtRefusal& held, const std::vector<RunRange>& ranges);

}  // namespace inquest::memory
