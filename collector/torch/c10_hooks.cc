// SPDX-License-Identifier: Apache-2.0
// Records what PyTorch's own allocator does inside the memory it holds from the
// driver. c10 (libc10.so) has a function to which allocators report each block
// and, since 1.13, one for refused requests; the CUDA allocator always calls
// them, with or without a profiler, with its lock held. Their signatures
// changed over the years and with them their mangled names:
//
//   void reportMemoryUsageToProfiler(void*, int64_t, Device)            1.6-1.9
//   ... (void*, int64_t, int64_t allocated, int64_t reserved, Device) 1.10-1.13
//   ... (void*, int64_t, size_t allocated, size_t reserved, Device)      2.0 on
//   void reportOutOfMemoryToProfiler(int64_t, int64_t, int64_t, Device)    1.13
//   ... (int64_t, size_t, size_t, Device)                                2.0 on
//
// (from the symbol tables of the wheels of 1.8, 1.10, 1.13, 2.0, 2.1, 2.9 and
// 2.15; see tests/frameworks.)
//
// We export all five: libc10_cuda.so calls them through its PLT, where
// preloaded symbols come first, and each hook calls the function that it
// replaces. Only blocks of CUDA devices are recorded. The oldest form has no
// sums, and passes the allocator's own handle of the block instead of its
// address.
//
// Not seen: allocators that report nothing (backend:cudaMallocAsync, pluggable
// ones), and memory that libraries allocate from the driver themselves.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "collector/core/dlopen_hook.h"
#include "collector/core/dlsym_hook.h"
#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/core/event_clock.h"
#include "collector/core/lifecycle.h"
#include "collector/core/next_symbol.h"
#include "collector/core/session.h"
#include "collector/core/source.h"
#include "collector/core/thread_state.h"
#include "collector/cuda/devices.h"
#include "collector/stacks/stacks.h"
#include "collector/torch/c10_device.h"

// Declared as in PyTorch, so that their mangled names are the same.
namespace c10 {
#define INQUEST_EXPORT __attribute__((visibility("default")))
INQUEST_EXPORT void reportMemoryUsageToProfiler(void*, int64_t, Device);
INQUEST_EXPORT void reportMemoryUsageToProfiler(void*, int64_t, int64_t,
                                                int64_t, Device);
INQUEST_EXPORT void reportMemoryUsageToProfiler(void*, int64_t, size_t, size_t,
                                                Device);
INQUEST_EXPORT void reportOutOfMemoryToProfiler(int64_t, int64_t, int64_t,
                                                Device);
INQUEST_EXPORT void reportOutOfMemoryToProfiler(int64_t, size_t, size_t,
                                                Device);
#undef INQUEST_EXPORT
}  // namespace c10

namespace inquest::collector {
namespace {

using trace::FrameworkMemoryRecord;
using trace::FrameworkOp;

struct C10Hook {
  const char* name;
  const char* signature;
  std::atomic<void*> real{nullptr};
};
C10Hook g_usage{"_ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE",
                "reportMemoryUsageToProfiler(void*, long, Device)"};
C10Hook g_usage_signed{
    "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE",
    "reportMemoryUsageToProfiler(void*, long, long, long, Device)"};
C10Hook g_usage_unsigned{
    "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE",
    "reportMemoryUsageToProfiler(void*, long, unsigned long, unsigned long, "
    "Device)"};
C10Hook g_oom_signed{"_ZN3c1027reportOutOfMemoryToProfilerElllNS_6DeviceE",
                     "reportOutOfMemoryToProfiler(long, long, long, Device)"};
C10Hook g_oom_unsigned{
    "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE",
    "reportOutOfMemoryToProfiler(long, unsigned long, unsigned long, Device)"};
C10Hook* const g_hooks[] = {&g_usage, &g_usage_signed, &g_usage_unsigned,
                            &g_oom_signed, &g_oom_unsigned};

// Python loads libc10.so with RTLD_LOCAL, so it is not in the global scope;
// then it is found through the caller or the list of loaded objects.
void* FindReplaced(const char* name, const void* caller) {
  void* found = FindNextSymbol(name, caller);
  if (found != nullptr) return found;
  void* handle = HandleOfLoaded("libc10.so");
  found = handle == nullptr ? nullptr : RealDlsym(handle, name);
  return found == nullptr || IsOurs(found) ? nullptr : found;
}

template <typename Function>
Function RealOf(C10Hook* hook, const void* caller) {
  void* real = hook->real.load(std::memory_order_acquire);
  if (real == nullptr) {
    real = FindReplaced(hook->name, caller);
    hook->real.store(real, std::memory_order_release);
  }
  return reinterpret_cast<Function>(real);
}

// The session, if this device's memory is to be recorded.
Session* SessionFor(c10::Device device) {
  if (device.type != kC10Cuda || Inside()) return nullptr;
  Session* session = EnsureSession();
  const bool wanted =
      session != nullptr && session->config.tensors != Tensors::kOff;
  return wanted ? session : nullptr;
}

FrameworkMemoryRecord RecordOf(FrameworkOp op, c10::Device device,
                               int64_t bytes) {
  FrameworkMemoryRecord record;
  record.time_ns = NowNs();
  record.op = op;
  record.device = C10DeviceIndex(device);
  record.bytes = bytes;
  record.thread = ThreadId();
  return record;
}

void AppendRecord(Session* session, const FrameworkMemoryRecord& record,
                  Journal::Full full) {
  session->journal->AppendSlot(
      static_cast<uint32_t>(FrameworkMemoryRecord::kKind), &record, full);
}

// PyTorch's own limit between small and large blocks: there are few large ones,
// and they hold nearly all of the memory.
constexpr int64_t kLargeBlock = 1 << 20;

uint32_t StackOfBlock(const Session& session, int64_t bytes) {
  switch (session.config.tensors) {
    case Tensors::kStacks:
      return CaptureStack();
    case Tensors::kOn:
      return bytes < kLargeBlock ? 0 : CaptureBriefStack();
    default:
      return 0;
  }
}

// Positive sizes are allocations, negative ones frees. Dropped if the journal
// is full: there are very many, and the driver's events must not wait for them.
void RecordUsage(const void* pointer, int64_t bytes, c10::Device device,
                 int64_t allocated, int64_t reserved, bool is_handle) {
  Session* session = SessionFor(device);
  if (session == nullptr) return;
  const auto op = bytes < 0 ? FrameworkOp::kFree : FrameworkOp::kAlloc;
  FrameworkMemoryRecord record =
      RecordOf(op, device, bytes < 0 ? -bytes : bytes);
  record.address = reinterpret_cast<uintptr_t>(pointer);
  record.address_is_handle = is_handle;
  record.allocated_bytes = allocated;
  record.reserved_bytes = reserved;
  if (bytes >= 0) record.stack = StackOfBlock(*session, bytes);
  AppendRecord(session, record, Journal::Full::kDrop);
}

void RecordRefusal(int64_t bytes, c10::Device device, int64_t allocated,
                   int64_t reserved) {
  Session* session = SessionFor(device);
  if (session == nullptr) return;
  InsideScope inside;
  FrameworkMemoryRecord record =
      RecordOf(FrameworkOp::kOutOfMemory, device, bytes);
  record.allocated_bytes = allocated;
  record.reserved_bytes = reserved;
  record.stack = CaptureStack();
  AppendRecord(session, record, Journal::Full::kWait);
  // If the allocator's own limit refused the request, the driver has not failed
  // and no sample was taken yet.
  SampleCurrentDevice(record.device, "failure");
  RequestFailureSample();
}

std::string DefinedNames(void* library) {
  std::string names;
  for (const C10Hook* hook : g_hooks) {
    void* found = RealDlsym(library, hook->name);
    if (found == nullptr || IsOurs(found)) continue;
    if (!names.empty()) names += "; ";
    names += hook->signature;
  }
  return names;
}

// Records in `coverage` which of the names this object defines, if it is
// libc10.so.
void NoteC10(const Module& module) {
  if (BaseName(module.path).substr(0, 9) != "libc10.so" || !IsPreloaded()) {
    return;
  }
  const Session* session = Current();
  if (session == nullptr) return;
  if (session->config.tensors == Tensors::kOff) {
    return EmitCoverage("c10", "off", "INQUEST_TENSORS=off");
  }
  void* library = OpenLibrary(module.path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return;
  const std::string names = DefinedNames(library);
  dlclose(library);
  if (names.empty()) {
    return EmitCoverage("c10", "failed",
                        module.path + " has none of the known names");
  }
  EmitCoverage("c10", "on", "hooked: " + names + ", of " + module.path);
}

}  // namespace

constinit const Source kTorchSource = {
    .name = "torch",
    .note_loaded =
        [](const std::vector<Module>& modules) {
          for (const Module& module : modules) NoteC10(module);
        },
};

}  // namespace inquest::collector

namespace c10 {

using namespace inquest::collector;

void reportMemoryUsageToProfiler(void* pointer, int64_t bytes, Device device) {
  RecordUsage(pointer, bytes, device, inquest::trace::kNoNumber,
              inquest::trace::kNoNumber, true);
  const auto real = RealOf<void (*)(void*, int64_t, Device)>(
      &g_usage, __builtin_return_address(0));
  if (real != nullptr) real(pointer, bytes, device);
}

void reportMemoryUsageToProfiler(void* pointer, int64_t bytes,
                                 int64_t allocated, int64_t reserved,
                                 Device device) {
  RecordUsage(pointer, bytes, device, allocated, reserved, false);
  const auto real = RealOf<void (*)(void*, int64_t, int64_t, int64_t, Device)>(
      &g_usage_signed, __builtin_return_address(0));
  if (real != nullptr) real(pointer, bytes, allocated, reserved, device);
}

void reportMemoryUsageToProfiler(void* pointer, int64_t bytes, size_t allocated,
                                 size_t reserved, Device device) {
  RecordUsage(pointer, bytes, device, static_cast<int64_t>(allocated),
              static_cast<int64_t>(reserved), false);
  const auto real = RealOf<void (*)(void*, int64_t, size_t, size_t, Device)>(
      &g_usage_unsigned, __builtin_return_address(0));
  if (real != nullptr) real(pointer, bytes, allocated, reserved, device);
}

void reportOutOfMemoryToProfiler(int64_t bytes, int64_t allocated,
                                 int64_t reserved, Device device) {
  RecordRefusal(bytes, device, allocated, reserved);
  const auto real = RealOf<void (*)(int64_t, int64_t, int64_t, Device)>(
      &g_oom_signed, __builtin_return_address(0));
  if (real != nullptr) real(bytes, allocated, reserved, device);
}

void reportOutOfMemoryToProfiler(int64_t bytes, size_t allocated,
                                 size_t reserved, Device device) {
  RecordRefusal(bytes, device, static_cast<int64_t>(allocated),
                static_cast<int64_t>(reserved));
  const auto real = RealOf<void (*)(int64_t, size_t, size_t, Device)>(
      &g_oom_unsigned, __builtin_return_address(0));
  if (real != nullptr) real(bytes, allocated, reserved, device);
}

}  // namespace c10
