// SPDX-License-Identifier: Apache-2.0
// Reads a row of memory_event, for the fold and the replay.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/database.h"
#include "trace/records/event.h"
#include "trace/store/ledger.h"

namespace inquest::trace {

inline constexpr std::string_view kEventColumns =
    "id, time_ns, op, kind, device, context, address, bytes, result, stack, "
    "pool";

inline constexpr int64_t kMaxEventBytes = int64_t{1} << 47;  // 128 TiB
inline constexpr int64_t kMaxRefusedBytes = int64_t{1} << 60;
inline constexpr int64_t kMaxEventTime = int64_t{1} << 61;  // 73 years, ns

// The row must have these columns. An untrusted trace may hold any number:
// sizes and times are kept where differences and offsets cannot overflow.
inline MemoryEvent EventOf(const Statement& row) {
  MemoryEvent event;
  uint64_t pool = 0;
  row.Read(&event.id, &event.time, &event.op, &event.kind, &event.device,
           &event.context, &event.address, &event.bytes, &event.result,
           &event.stack, &pool);
  if (event.op == static_cast<int>(MemoryOp::kMap)) event.mapped = pool;
  event.bytes =
      std::clamp(event.bytes, int64_t{0},
                 event.result == 0 ? kMaxEventBytes : kMaxRefusedBytes);
  event.time = std::clamp(event.time, -kMaxEventTime, kMaxEventTime);
  return event;
}

}  // namespace inquest::trace
