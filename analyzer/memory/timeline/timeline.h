// SPDX-License-Identifier: Apache-2.0
// What a process held on each device over time, for pictures. Noted beside the
// replay of the diagnosis if that is asked to (AnalyzeOptions), because a
// second pass over ten million events takes as long as the diagnosis; else read
// in a pass of its own. Bytes, and nanoseconds since 1970. A trace whose older
// events were folded begins at its checkpoint.
#pragma once

#include <cstddef>
#include <map>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/timeline/category_line.h"
#include "analyzer/memory/timeline/curve.h"
#include "trace/store/ledger.h"

namespace inquest::memory {

struct DeviceTimeline {
  Curve held;  // from the driver, with or without an address
  Curve pool;  // live blocks of a framework's pool, if they are events
};

struct Timeline {
  std::map<int, DeviceTimeline> devices;
  std::map<int, CategoryLine> categories;  // if the replay noted them
  int64_t folded = 0;  // events before the beginning, known as totals only
  void Reduce(size_t most);
};

using Timelines = std::map<int, Timeline>;  // by process

// Looks at the devices after each event. O(devices) for each.
class TimelineKeeper {
 public:
  // `span` of the trace, and the offset of its clock.
  TimelineKeeper(size_t most, int64_t span, int64_t offset)
      : most_(most), span_(span), offset_(offset) {}

  void Note(const std::map<int, trace::DeviceState>& devices, int64_t time) {
    for (const auto& [device, state] : devices) {
      if (device >= 0) Note(device, state, time);
    }
  }
  Timeline Take(int64_t folded) { return {std::move(devices_), {}, folded}; }

 private:
  void Note(int device, const trace::DeviceState& state, int64_t time);

  size_t most_;
  int64_t span_, offset_;
  std::map<int, DeviceTimeline> devices_;
};

// For the trace with this prefix.
Expected<TimelineKeeper> KeeperFor(facts::Store* store, int process,
                                   size_t most);

// In a pass of its own. `most`: points of each curve.
Expected<Timeline> ReadTimeline(facts::Store* store, int process, size_t most);

}  // namespace inquest::memory
