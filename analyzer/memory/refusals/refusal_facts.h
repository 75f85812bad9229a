// SPDX-License-Identifier: Apache-2.0
// Writes the refused requests of the replay: the facts oom, heap_block,
// oom_blocker and earlier_run of one process. Called by process_facts.cc when
// the replay is over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/pool/torch_settings.h"
#include "analyzer/memory/refusals/device_samples.h"
#include "analyzer/memory/refusals/earlier_run_facts.h"
#include "analyzer/memory/replay/replay.h"

namespace inquest::memory {

struct RefusalContext {
  facts::Store* store = nullptr;
  int process = 0;
  std::function<int64_t(size_t site)> site_id;
  std::map<int, int64_t> leaked;  // by device; see HeapAtRefusal
  SiteTable* sites = nullptr;
  EarlierRunContext earlier_runs;
  TorchSettings torch;  // of the pool, if there is one
};

class RefusalFacts {
 public:
  RefusalFacts(RefusalContext context, const Replay& replay)
      : context_(std::move(context)),
        store_(context_.store),
        prefix_(store_->TracePrefix(context_.process)),
        replay_(replay) {}

  Status Write();

 private:
  Status WriteOne(const Refusal& refusal);
  Status WriteHeap(const Refusal& refusal, int64_t oom);
  Status WriteBlockers(const std::vector<HeapSpan>& blockers, int64_t oom);

  RefusalContext context_;
  facts::Store* store_;
  std::string prefix_;
  const Replay& replay_;
  int64_t own_pid_ = 0;
  std::optional<int64_t> own_rank_;
  std::optional<DeviceSamples> samples_;
};

}  // namespace inquest::memory
