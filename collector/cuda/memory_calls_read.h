// SPDX-License-Identifier: Apache-2.0
// Helpers to read parameter structs of driver calls; internal to
// memory_calls*.cc.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <cstdint>

#include "collector/cuda/memory_calls.h"

namespace inquest::collector {

using trace::MemoryKind;
using trace::MemoryOp;

template <typename T>
uint64_t Bits(T* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}
inline uint64_t Bits(unsigned long long value) {
  return value;
}

// The value of an out-parameter after the call has succeeded.
template <typename T>
uint64_t Out(const T* pointer, bool succeeded) {
  return succeeded && pointer != nullptr ? Bits(*pointer) : 0;
}

inline bool Allocation(MemoryCall* call, MemoryKind kind, uint64_t address,
                       uint64_t bytes) {
  call->op = MemoryOp::kAlloc;
  call->kind = kind;
  call->address = address;
  call->bytes = bytes;
  if (kind == MemoryKind::kHost) call->device = -1;
  return true;
}

// Nothing is recorded for a null pointer: freeing it does nothing.
inline bool GivesBack(MemoryCall* call, MemoryKind kind, uint64_t address,
                      MemoryOp op = MemoryOp::kFree, uint64_t bytes = 0) {
  call->op = op;
  call->kind = kind;
  call->address = address;
  call->bytes = bytes;
  if (kind == MemoryKind::kHost) call->device = -1;
  return address != 0;
}

// Virtual memory: physical pieces, address ranges and mappings.
bool ReadVirtualMemory(uint32_t cbid, const void* parameters, bool ok,
                       MemoryCall* call);
bool ReadVirtualGivingBack(uint32_t cbid, const void* parameters,
                           MemoryCall* call);
// Calls about a whole pool.
bool ReadPool(uint32_t cbid, const void* parameters, bool ok, MemoryCall* call);

// Each case of a switch over the calls reads its own struct.
#define PARAMETERS(name) \
  const auto* p = static_cast<const name##_params*>(parameters)
#define CBID(name) case CUPTI_DRIVER_TRACE_CBID_##name

}  // namespace inquest::collector
