// How a row of memory_event is read, by the fold and by the replay.
#pragma once

#include <string_view>

#include "base/database.h"
#include "trace/records/event.h"
#include "trace/store/ledger.h"

namespace inquest::trace {

inline constexpr std::string_view kEventColumns =
    "id, time_ns, op, kind, device, context, address, bytes, result, stack, "
    "pool";

// Of a row that has these columns.
inline MemoryEvent EventOf(const Statement& row) {
  MemoryEvent event;
  event.id = row.Int(0);
  event.time = row.Int(1);
  event.op = static_cast<int>(row.Int(2));
  event.kind = static_cast<int>(row.Int(3));
  event.device = static_cast<int>(row.Int(4));
  event.context = static_cast<uint64_t>(row.Int(5));
  event.address = static_cast<uint64_t>(row.Int(6));
  event.bytes = row.Int(7);
  event.result = static_cast<int>(row.Int(8));
  event.stack = row.Int(9);
  if (event.op == static_cast<int>(MemoryOp::kMap)) {
    event.mapped = static_cast<uint64_t>(row.Int(10));
  }
  return event;
}

}  // namespace inquest::trace
