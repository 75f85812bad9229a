// SPDX-License-Identifier: Apache-2.0
// What an earlier run in the same process still holds when a later one is
// refused: a model, trial, fold or notebook cell that was meant to be over. A
// later run is known by its repetition: code that had allocated before, and
// whose blocks are still live, allocates again after other work, and nearly all
// that is live since then was live before it as well.
//
// Of blocks that are older than the record (a snapshot's history is a ring) the
// order is unknown. They are one run, of the code that allocates again, if they
// are not many times more than what it makes now, as those of a leak would be.
//
// Not taken for runs: layers (no work between them), what is made anew in each
// step, and growth in many small parts, which is a leak (leaks/leak.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/memory/refusals/makers.h"
#include "analyzer/memory/replay/replay.h"
#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

struct EarlierRun {
  int64_t bytes = 0;  // of all that was made in it and is live
  int64_t blocks = 0;
  int64_t begin = 0;  // time of the first of these blocks
  int64_t end = 0;    // and of the last
  // The largest block that the later run made again, and its repetition.
  HeldBlock earlier, later;
  int64_t later_begin = 0;  // time of the later run's first block
  bool same_sizes = false;  // the later run's blocks repeat the sizes, too
  bool older = false;       // than the record: when it was made is unknown
};

struct HeldAtRefusal {
  std::vector<HeldBlock> blocks;
  HeldBlock refused;  // the request, as if it had been granted
  // How many events that moved memory a number has before it: others are
  // numbered with them, a scan of the libraries takes many numbers at once.
  std::function<double(int64_t event)> events_before;
  // What each call stack had made and given up by then, where that is known: an
  // optimizer's state and what it makes in each step come from one site.
  std::unordered_map<int64_t, SiteCounts> stacks;
  // All frames of a stack; may be missing.
  AllFrames all_frames;
  // Whether a time lies in a training step.
  std::function<bool(int64_t time)> in_step;
};

std::optional<EarlierRun> FindEarlierRun(HeldAtRefusal held,
                                         const std::vector<Site>& sites);

}  // namespace inquest::memory
