// SPDX-License-Identifier: Apache-2.0
// Writes the fact earlier_run of one refusal. Called by refusal_facts.cc for
// the driver's refusals and by pool_earlier_run.cc for those of a framework's
// pool.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/refusals/earlier_run.h"
#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

struct EarlierRunContext {
  facts::Store* store = nullptr;
  int process = 0;
  std::function<int64_t(size_t site)> site_id;
  std::function<std::vector<Frame>(int64_t stack)> frames;
  std::function<bool(int64_t time)> in_step;
  AllFrames all_frames;
};

// Which refusal it is: one of the two.
struct RefusalKey {
  std::optional<int64_t> oom, framework_oom;
  int device = 0;
};

// `sites`: with the counts of what each of them allocated and freed. Fills in
// the functions of `held`.
Status WriteEarlierRun(const EarlierRunContext& context, const RefusalKey& key,
                       HeldAtRefusal held, const std::vector<Site>& sites);

}  // namespace inquest::memory
