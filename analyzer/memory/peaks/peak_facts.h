// SPDX-License-Identifier: Apache-2.0
// Writes what was live at the peak: the facts peak_block, peak_site,
// peak_size and memory_category of one process. Called by the analysis
// (analyze.cc) when the replay is over.
#pragma once

#include <cstdint>
#include <functional>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/peaks/block_life.h"
#include "analyzer/memory/peaks/code_places.h"
#include "analyzer/memory/replay/replay.h"
#include "analyzer/memory/sites/sites.h"
#include "analyzer/memory/timeline/category_keeper.h"

namespace inquest::memory {

inline constexpr size_t kMaxPeakBlocks = 50'000;  // the largest, one by one

struct PeakContext {
  facts::Store* store = nullptr;
  int process = 0;
  SiteTable* sites = nullptr;
  std::function<int64_t(size_t site)> site_id;
  StepTimes steps;
  CodePlaces* places = nullptr;
  std::function<bool(size_t site)> leaks;  // it grows from step to step
  int64_t before = 0;  // events up to this one are older than the record
  CategoryKeeper* timeline = nullptr;  // learns what each block is for
};

// May add sites for stacks that only a pool's segments have.
Status WritePeaks(const PeakContext& context, const Replay& replay);

}  // namespace inquest::memory
