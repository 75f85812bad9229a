// SPDX-License-Identifier: Apache-2.0
// What a process held on each device over time, for pictures: a second pass
// over its memory events, beside the replay of the diagnosis, because only the
// page needs it. Bytes, and nanoseconds since 1970. A trace whose older events
// were folded begins at its checkpoint.
#pragma once

#include <cstddef>
#include <map>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/timeline/curve.h"

namespace inquest::memory {

struct DeviceTimeline {
  Curve held;  // from the driver, with or without an address
  Curve pool;  // live blocks of a framework's pool, if they are events
};

struct Timeline {
  std::map<int, DeviceTimeline> devices;
  int64_t folded = 0;  // events before the beginning, known as totals only
};

// `most`: points of each curve.
Expected<Timeline> ReadTimeline(facts::Store* store, int process, size_t most);

}  // namespace inquest::memory
