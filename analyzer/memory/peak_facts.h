// Writes what was live when most was held: the facts peak_block, peak_site and
// peak_size of one process. Called by the analysis (analyze.cc) when the replay
// is over.
//
// How long a block was needed is told by the ends of steps that it outlived:
// `persistent` is what outlived two, or one and was never freed; `transient`
// what was freed within a twentieth of a usual step; `step` the rest, which is
// what a step needs. Without steps nothing is said of it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/facts/store.h"
#include "analyzer/memory/replay.h"
#include "analyzer/memory/sites.h"

namespace inquest::memory {

inline constexpr size_t kMostPeakBlocks = 50'000;  // the largest, one by one

struct StepTimes {
  std::vector<int64_t> ends;  // ascending
  int64_t usual_ns = 0;       // the median length
};

enum class Life { kUnknown, kPersistent, kStep, kTransient };
Life LifeOf(const PeakBlock& block, const StepTimes& steps);

struct PeakContext {
  facts::Store* store = nullptr;
  int process = 0;
  SiteTable* sites = nullptr;
  std::function<int64_t(size_t site)> site_id;
  StepTimes steps;
};

// May make sites, of stacks that only a pool's segments have.
Status WritePeaks(const PeakContext& context, const Replay& replay);

}  // namespace inquest::memory
