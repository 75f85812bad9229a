// SPDX-License-Identifier: Apache-2.0
// Reads the histories of a process from its trace, one for each device. The
// requests are those of the program to its framework's allocator if the trace
// has them (blocks of an imported snapshot or seen by the collector), otherwise
// those to the driver. For whatif.h.
//
// Limits: at most `max_requests` of a history are read, and its note says so.
// Malformed rows are skipped.
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
