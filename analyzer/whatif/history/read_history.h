// Reads the histories of a process from its trace: one for each device. The
// requests are, where the trace has them, those that the program made to its
// framework's allocator (blocks of an imported snapshot, or as the collector
// saw them), else those that were made to the driver. For whatif.h.
//
// Limits: a history of more requests than `most_requests` is read up to there
// and says so. Faulty rows are passed over.
#pragma once

#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/whatif/history/history.h"
#include "base/status.h"

namespace inquest::whatif {

struct ReadLimits {
  size_t most_requests = 20'000'000;
};

Expected<std::vector<History>> ReadHistories(facts::Store* store, int process,
                                             const ReadLimits& limits = {});

}  // namespace inquest::whatif
