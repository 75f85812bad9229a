// SPDX-License-Identifier: Apache-2.0
// Reads a row of memory_event, for the fold and the replay.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
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
inline MemoryEvent EventOf(std::span<const int64_t> row) {
  MemoryEvent event;
  event.id = row[0];
  event.time = std::clamp(row[1], -kMaxEventTime, kMaxEventTime);
  event.op = static_cast<int>(row[2]);
  event.kind = static_cast<int>(row[3]);
  event.device = static_cast<int>(row[4]);
  event.context = static_cast<uint64_t>(row[5]);
  event.address = static_cast<uint64_t>(row[6]);
  event.result = static_cast<int>(row[8]);
  event.bytes =
      std::clamp(row[7], int64_t{0},
                 event.result == 0 ? kMaxEventBytes : kMaxRefusedBytes);
  event.stack = row[9];
  const auto pool = static_cast<uint64_t>(row[10]);
  if (event.op == static_cast<int>(MemoryOp::kMap)) event.mapped = pool;
  return event;
}

inline MemoryEvent EventOf(const Statement& row) {
  std::array<int64_t, 11> columns;
  for (int i = 0; i < std::ssize(columns); ++i) {
    columns[static_cast<size_t>(i)] = row.Int(i);
  }
  return EventOf(columns);
}

}  // namespace inquest::trace
