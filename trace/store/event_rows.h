// SPDX-License-Identifier: Apache-2.0
// Reads a row of memory_event, for the fold and the replay.
#pragma once

#include <string_view>

#include "base/database.h"
#include "trace/records/event.h"
#include "trace/store/ledger.h"

namespace inquest::trace {

inline constexpr std::string_view kEventColumns =
    "id, time_ns, op, kind, device, context, address, bytes, result, stack, "
    "pool";

// The row must have these columns.
inline MemoryEvent EventOf(const Statement& row) {
  MemoryEvent event;
  uint64_t pool = 0;
  row.Read(&event.id, &event.time, &event.op, &event.kind, &event.device,
           &event.context, &event.address, &event.bytes, &event.result,
           &event.stack, &pool);
  if (event.op == static_cast<int>(MemoryOp::kMap)) event.mapped = pool;
  return event;
}

}  // namespace inquest::trace
