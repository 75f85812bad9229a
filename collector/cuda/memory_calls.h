// Which driver calls move memory, and what one of them did: the one place that
// knows the parameter structs of the allocation families. Pure; called from the
// CUPTI callback, at both ends of a call.
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

// Fills `call` with what there is to record at this end of driver call `cbid`:
// what gives memory back is recorded as the call begins, what hands it out when
// it has returned (see schema.sql). False when there is nothing.
bool ReadMemoryCall(uint32_t cbid, const void* parameters, bool exit,
                    bool succeeded, MemoryCall* call);

}  // namespace inquest::collector
