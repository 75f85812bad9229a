// SPDX-License-Identifier: Apache-2.0
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

// Visits the events after `after` (0: all; a checkpoint has the earlier ones),
// at most `max` of them, and returns their number. `prefix` precedes the names
// of the trace's tables ("trace1.").
Expected<int64_t> ForEachEvent(
    Database* db, const std::string& prefix, int64_t after,
    const std::function<void(const MemoryEvent&)>& visit,
    int64_t max = INT64_MAX);

}  // namespace inquest::memory
