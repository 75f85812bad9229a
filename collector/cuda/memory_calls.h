// SPDX-License-Identifier: Apache-2.0
// Reads what a driver call that allocates or frees memory did: the only place
// that knows the parameter structs of the allocation families. Called from the
// CUPTI callback when a call begins and when it returns.
#pragma once

#include <cstdint>

#include "trace/records/event.h"

namespace inquest::collector {

inline constexpr int kCurrentDevice = -2;

struct MemoryCall {
  trace::MemoryOp op = trace::MemoryOp::kAlloc;
  trace::MemoryKind kind = trace::MemoryKind::kDevice;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t stream = 0;
  uint64_t pool = 0;
  int device = kCurrentDevice;
};

// Fills `call` with what is to be recorded when driver call `cbid` begins or
// returns (`exit`): frees are recorded when the call begins, allocations when
// it has returned (see schema.sql). False if there is nothing to record.
bool ReadMemoryCall(uint32_t cbid, const void* parameters, bool exit,
                    bool succeeded, MemoryCall* call);

}  // namespace inquest::collector
