// SPDX-License-Identifier: Apache-2.0
// The memory analysis of a diagnosis: replays every trace in the store and
// writes the facts oom, heap_block, oom_blocker, earlier_run, allocation_site,
// device_usage, step, leak_suspect, leak_step, peak_block, peak_site,
// peak_size, held_site, device_ledger and replay_fault. Called once by the
// command line, after the traces were added.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/sites/symbolize.h"
#include "analyzer/memory/timeline/timeline.h"

namespace inquest::memory {

struct MemorySummary {
  int64_t events = 0;  // memory events replayed
  // Sites whose calls do not add up to their live blocks, in words: a damaged
  // trace, or a defect of this program.
  std::vector<std::string> contradictions;
  Timelines timelines;  // if they were asked for
};

// Where the next analysis goes on.
struct AnalyzeState {
  int process = 1;  // the first that was not analyzed yet
  int64_t next_site = 1;
};

struct AnalyzeOptions {
  // Used before the symbolizer to name the frames of a stack, unless it returns
  // none; for made-up traces, whose addresses belong to no file. Process and
  // stack are numbered as in the facts.
  std::function<std::vector<Frame>(int process, int64_t stack)> frames;
  // Notes what the first processes held over time, in so many points; 0: does
  // not.
  size_t timeline_points = 0;
  int timelines = 16;
  bool categories = false;  // of these: what it was for, too
  bool site_stacks = true;  // store_site_stack, which only pictures read
};

Expected<MemorySummary> Analyze(facts::Store* store,
                                const AnalyzeOptions& options = {});
// The same for the traces that were added since, as often as one likes; adds to
// the summary.
Status AnalyzeMore(facts::Store* store, const AnalyzeOptions& options,
                   AnalyzeState* state, MemorySummary* summary);

}  // namespace inquest::memory
