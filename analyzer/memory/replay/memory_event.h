// The memory events of a trace, one by one in the order they took effect. Used
// by the analysis, which may go over them more than once; never all in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/database.h"
#include "base/status.h"
#include "trace/store/ledger.h"

namespace inquest::memory {

using trace::MemoryEvent;  // a row, in the trace's own clock

// Those behind the event `after` (0: all; a checkpoint stands for the others),
// at most `most` of them. `prefix` is what stands before the trace's tables
// ("trace1."). Returns how many there were.
Expected<int64_t> ForEachEvent(
    Database* db, const std::string& prefix, int64_t after,
    const std::function<void(const MemoryEvent&)>& visit,
    int64_t most = INT64_MAX);

// At most about `most` of these in three stretches, from the beginning, the
// middle and the end; all, where there are no more. Returns whether it was all.
Expected<bool> ForSomeEvents(
    Database* db, const std::string& prefix, int64_t after, int64_t most,
    const std::function<void(const MemoryEvent&)>& visit);

}  // namespace inquest::memory
