// SPDX-License-Identifier: Apache-2.0
// The vocabulary that collector and analyzer share: the numbers in
// memory_event.op and .kind with their names, and the names of the files in a
// run directory. Numbers are part of the trace format: append only. A new
// operation or kind also needs a row in the table below its enum; everything
// else (the analyzer's views, docs/trace-format.md) is generated from these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace inquest::trace {

inline constexpr int kSchemaVersion = 1;

enum class MemoryOp : uint8_t {
  kAlloc = 1,       // address handed out, or failed (result != 0)
  kFree = 2,        // recorded before the call; see kFreeFailed
  kFreeFailed = 3,  // the preceding free of the same address failed
  kMap = 4,         // VMM: physical memory mapped at address
  kUnmap = 5,
  kReserve = 6,  // VMM: address range without memory
  kUnreserve = 7,
  kTrim = 8,      // pool released all but `bytes`
  kRegister = 9,  // host memory pinned in place
  kUnregister = 10,
  kContextDestroy = 11,  // everything still held in `context` is gone
  kRetain = 12,          // VMM: one more handle, so one more release is needed
  kAccess = 13,          // VMM: a range made accessible to `device`
  kPoolCreate = 14,      // `bytes`: its limit, 0 none
  kPoolThreshold = 15,   // a pool keeps this many free `bytes`
};
inline constexpr MemoryOp kLastMemoryOp = MemoryOp::kPoolThreshold;

enum class MemoryKind : uint8_t {
  kDevice = 1,     // cuMemAlloc, cuMemAllocPitch
  kManaged = 2,    // cuMemAllocManaged
  kAsync = 3,      // cuMemAllocAsync, from a pool
  kHost = 4,       // cuMemHostAlloc, cuMemAllocHost: pinned host memory
  kPhysical = 5,   // cuMemCreate
  kArray = 6,      // cuArrayCreate and mipmapped arrays
  kIpc = 7,        // cuIpcOpenMemHandle
  kExternal = 8,   // cuImportExternalMemory
  kFramework = 9,  // a block inside a framework's pool, not the driver's
  kSegment = 10,   // memory that a framework's pool holds from the driver
  kMapped = 11,    // the same, mapped into a segment that grows
};
inline constexpr MemoryKind kLastMemoryKind = MemoryKind::kMapped;

template <typename Enum>
struct Named {
  Enum value;
  std::string_view name;
};

inline constexpr Named<MemoryOp> kMemoryOps[] = {
    {MemoryOp::kAlloc, "alloc"},
    {MemoryOp::kFree, "free"},
    {MemoryOp::kFreeFailed, "free_failed"},
    {MemoryOp::kMap, "map"},
    {MemoryOp::kUnmap, "unmap"},
    {MemoryOp::kReserve, "reserve"},
    {MemoryOp::kUnreserve, "unreserve"},
    {MemoryOp::kTrim, "trim"},
    {MemoryOp::kRegister, "register"},
    {MemoryOp::kUnregister, "unregister"},
    {MemoryOp::kContextDestroy, "context_destroy"},
    {MemoryOp::kRetain, "retain"},
    {MemoryOp::kAccess, "access"},
    {MemoryOp::kPoolCreate, "pool_create"},
    {MemoryOp::kPoolThreshold, "pool_threshold"},
};

inline constexpr Named<MemoryKind> kMemoryKinds[] = {
    {MemoryKind::kDevice, "device"},
    {MemoryKind::kManaged, "managed"},
    {MemoryKind::kAsync, "async"},
    {MemoryKind::kHost, "host"},
    {MemoryKind::kPhysical, "physical"},
    {MemoryKind::kArray, "array"},
    {MemoryKind::kIpc, "ipc"},
    {MemoryKind::kExternal, "external"},
    {MemoryKind::kFramework, "framework"},
    {MemoryKind::kSegment, "segment"},
    {MemoryKind::kMapped, "mapped"},
};

// Numbers count from 1 without gaps, so a number is an index into the names.
template <typename Enum, size_t kCount>
constexpr bool NamesAll(const Named<Enum> (&table)[kCount], Enum last) {
  for (size_t i = 0; i < kCount; ++i) {
    if (static_cast<size_t>(table[i].value) != i + 1) return false;
  }
  return static_cast<size_t>(last) == kCount;
}
static_assert(NamesAll(kMemoryOps, kLastMemoryOp));
static_assert(NamesAll(kMemoryKinds, kLastMemoryKind));

// What the allocator inside a framework did (FrameworkMemoryRecord).
enum class FrameworkOp : uint8_t {
  kAlloc = 1,
  kFree = 2,
  kOutOfMemory = 3,  // it refused; the program gets an exception
};

// "unknown" for a number that has no name.
std::string_view MemoryOpName(MemoryOp op);
std::string_view MemoryKindName(MemoryKind kind);

// A run directory holds, for each process, one trace and, while the process
// lives or after it was killed, the journal beside it.
inline constexpr std::string_view kTraceSuffix = ".trace.sqlite";
inline constexpr std::string_view kJournalSuffix = ".journal";
inline constexpr std::string_view kRunFile = "run.json";
inline constexpr std::string_view kConsoleLog = "console.log";

}  // namespace inquest::trace
