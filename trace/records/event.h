// The vocabulary that collector and analyzer share: numbers that stand in
// memory_event.op and .kind, and the names of the files in a run directory.
// Numbers are part of the trace format; new ones are appended.
#pragma once

#include <cstdint>
#include <string_view>

namespace inquest::trace {

inline constexpr int kSchemaVersion = 1;

enum class MemoryOp : uint8_t {
  kAlloc = 1,       // address handed out, or failed (result != 0)
  kFree = 2,        // entered before the call; see kFreeFailed
  kFreeFailed = 3,  // the free of the same address just before did not happen
  kMap = 4,         // VMM: physical memory mapped at address
  kUnmap = 5,
  kReserve = 6,  // VMM: address range without memory
  kUnreserve = 7,
  kTrim = 8,      // pool gave back down to `bytes`
  kRegister = 9,  // host memory pinned in place
  kUnregister = 10,
  kContextDestroy = 11,  // everything still held in `context` is gone
  kRetain = 12,          // VMM: one more release before the memory is gone
  kAccess = 13,          // VMM: a range made accessible to `device`
  kPoolCreate = 14,      // `bytes`: its limit, 0 none
  kPoolThreshold = 15,   // a pool keeps this many free `bytes`
};

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

// What the allocator inside a framework did (FrameworkMemoryRecord).
enum class FrameworkOp : uint8_t {
  kAlloc = 1,
  kFree = 2,
  kOutOfMemory = 3,  // it gave up; the program gets its exception
};

std::string_view MemoryOpName(MemoryOp op);  // "alloc", "free", …
std::string_view MemoryKindName(MemoryKind kind);

// A run directory holds, for each process, one trace and, while the process
// lives or after it was killed, the journal beside it.
inline constexpr std::string_view kTraceSuffix = ".trace.sqlite";
inline constexpr std::string_view kJournalSuffix = ".journal";
inline constexpr std::string_view kRunFile = "run.json";
inline constexpr std::string_view kConsoleLog = "console.log";

}  // namespace inquest::trace
