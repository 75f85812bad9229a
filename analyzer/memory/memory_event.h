// The memory events of a trace, one by one in the order they took effect. Used
// by the analysis, which may go over them more than once; never all in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "trace/sqlite.h"
#include "trace/status.h"

namespace inquest::memory {

// A row of memory_event, in the trace's own clock.
struct MemoryEvent {
  int64_t id = 0;
  int64_t time = 0;
  int op = 0;    // trace::MemoryOp
  int kind = 0;  // trace::MemoryKind
  int device = -1;
  uint64_t context = 0;
  uint64_t address = 0;
  int64_t bytes = 0;
  int result = 0;
  int64_t stack = 0;
};

// `prefix` is what stands before the trace's tables ("trace1."). Returns how
// many there were.
Expected<int64_t> ForEachEvent(
    Database* db, const std::string& prefix,
    const std::function<void(const MemoryEvent&)>& visit);

}  // namespace inquest::memory
