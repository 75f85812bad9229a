// SPDX-License-Identifier: Apache-2.0
// Reads the histories of a process from its trace, one for each device. The
// requests are those that the program made to its framework's allocator where
// the trace has them (blocks of an imported snapshot, or as the collector saw
// them), otherwise those made to the driver. For whatif.h.
//
// Limits: of a history with more than `max_requests` only those are read, and
// its note says so. Faulty rows are skipped.
#pragma once

#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/whatif/history/history.h"
#include "base/status.h"

namespace inquest::whatif {

struct ReadLimits {
  size_t max_requests = 20'000'000;
};

Expected<std::vector<History>> ReadHistories(facts::Store* store, int process,
                                             const ReadLimits& limits = {});

}  // namespace inquest::whatif
