// The memory analysis of a diagnosis: replays every trace in the store and
// writes the facts oom, heap_block, allocation_site, device_usage, step and
// leak_suspect. Called once by the command line, after the traces were added.
#pragma once

#include "analyzer/facts/store.h"

namespace inquest::memory {

struct MemorySummary {
  int64_t events = 0;  // memory events replayed
};

Expected<MemorySummary> Analyze(facts::Store* store);

}  // namespace inquest::memory
