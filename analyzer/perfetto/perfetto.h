// SPDX-License-Identifier: Apache-2.0
// A run as a Perfetto trace: a process a rank, with counters of memory by
// device and by category, a slice for each allocation, steps, cuDNN's calls,
// refusals and errors as instants. A second pass over the memory events; memory
// is bounded by the live blocks. Called by `inquest export`.
//
// Times are nanoseconds since 1970 on Perfetto's trace clock, and a clock
// snapshot says that they are real time, so several files fit together.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "analyzer/facts/store/store.h"
#include "base/status.h"

namespace inquest::perfetto {

struct Options {
  bool slices = true;  // of allocations
  // Blocks that are live at once have a track each; more of them have none.
  size_t lanes = 2000;
};

struct Written {
  int64_t packets = 0;
  int64_t bytes = 0;
  int64_t memory_events = 0;
  int64_t folded = 0;         // older events, known as totals only
  int64_t without_slice = 0;  // allocations for which no lane was left
};

// Receives the file piece by piece.
using Sink = std::function<Status(std::string_view)>;

Expected<Written> Export(facts::Store* store, const Options& options,
                         const Sink& sink);

}  // namespace inquest::perfetto
