// SPDX-License-Identifier: Apache-2.0
#include "collector/stacks/stacks.h"

#include <link.h>
#include <pthread.h>
#include <unwind.h>

#include <cstddef>
#include <cstring>

#include "collector/core/emit.h"
#include "collector/core/seen_table.h"
#include "collector/core/session.h"
#include "collector/core/source.h"
#include "collector/core/thread_state.h"
#include "collector/python/thread_frames.h"
#include "collector/stacks/fast_unwind.h"
#include "collector/stacks/signal_stack.h"

namespace inquest::collector {
namespace {

// By the hash of the addresses; a stack's id is its number in the table.
constinit SeenTable<1u << 14> g_seen_stacks;

int FindOwnRange(dl_phdr_info* info, size_t, void* out) {
  const auto here = reinterpret_cast<uintptr_t>(&FindOwnRange);
  CodeRange range{UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
    if (begin < range.begin) range.begin = begin;
    if (end > range.end) range.end = end;
  }
  if (here < range.begin || here >= range.end) return 0;
  *static_cast<CodeRange*>(out) = range;
  return 1;
}

const CodeRange& OwnRange() {
  static const CodeRange range = [] {
    CodeRange found;
    dl_iterate_phdr(FindOwnRange, &found);
    return found;
  }();
  return range;
}

struct Walk {
  CodeRange own;
  trace::StackRecord* record;
};

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  const uintptr_t address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  trace::StackRecord& record = *walk->record;
  const bool ours = address >= walk->own.begin && address < walk->own.end;
  if (!ours) record.frames[record.count++] = address;
  return record.count < trace::kMaxFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

StackBounds AskForBounds() {
  StackBounds bounds;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* begin = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  bounds.begin = reinterpret_cast<uintptr_t>(begin);
  bounds.end = bounds.begin + size;
  return bounds;
}

// Once per thread: for the first thread it reads a file.
StackBounds BoundsOfThread() {
  ThreadState* thread = GetThreadState();
  if (thread == nullptr) return {};
  if (thread->stack.end == 0) thread->stack = AskForBounds();
  return thread->stack;
}

// False on a small signal stack. Costs a system call only where the thread is
// not on its own stack, or that is not known yet.
bool HasRoom() {
  const ThreadState* thread = GetThreadState();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (thread != nullptr && here >= thread->stack.begin &&
      here < thread->stack.end) {
    return true;
  }
  if (OnSmallSignalStack()) {
    g_seen_stacks.CountLost("stack",
                            "calls on signal stacks without room to unwind");
    return false;
  }
  BoundsOfThread();  // the thread's next call need not ask the system
  return true;
}

void CaptureNative(trace::StackRecord* record) {
  const CodeRange& own = OwnRange();
  if (UnwindFast(own, BoundsOfThread(), record)) return;
  record->count = 0;
  Walk walk{own, record};
  _Unwind_Backtrace(AddFrame, &walk);
}

uint64_t Mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

uint64_t HashStack(const trace::StackRecord& native,
                   const trace::PythonStackRecord& python) {
  uint64_t hash = 0x9e3779b97f4a7c15u + native.count;
  for (uint32_t i = 0; i < native.count; ++i) {
    hash = Mix(hash, native.frames[i]);
  }
  for (uint32_t i = 0; i < python.count; ++i) {
    hash = Mix(hash, python.frames[i]);
  }
  return hash == 0 ? 1 : hash;
}

// Without the frames beyond `count`.
template <typename Record>
void Journal(const Record& record) {
  Session* session = Current();
  if (session == nullptr) return;
  const size_t bytes =
      offsetof(Record, frames) + record.count * sizeof record.frames[0];
  session->journal->Append(static_cast<uint32_t>(Record::kKind),
                           {reinterpret_cast<const char*>(&record), bytes},
                           trace::Journal::Full::kWait);
}

uint32_t Intern(trace::StackRecord* native, trace::PythonStackRecord* python) {
  const auto place = g_seen_stacks.Enter(HashStack(*native, *python));
  if (place.number == 0) {
    g_seen_stacks.CountLost("stack",
                            "more different call stacks than the table holds");
  }
  native->id = python->stack = place.number;
  if (!place.is_new) return place.number;
  Journal(*native);
  if (python->count > 0) Journal(*python);
  return place.number;
}

uint32_t InternAny(trace::StackRecord* native,
                   trace::PythonStackRecord* python) {
  return native->count + python->count == 0 ? 0 : Intern(native, python);
}

// Not inlined: its records need room that a signal stack may not have.
[[gnu::noinline]] uint32_t CaptureBoth(const Config& config) {
  trace::StackRecord native;
  trace::PythonStackRecord python;
  if (config.native_stacks) CaptureNative(&native);
  if (config.python_stacks) CapturePythonFrames(&python);
  return InternAny(&native, &python);
}

}  // namespace

uint32_t CaptureStack() {
  const Session* session = Current();
  if (session == nullptr) return 0;
  const Config& config = session->config;
  if (!config.native_stacks && !config.python_stacks) return 0;
  return HasRoom() ? CaptureBoth(config) : 0;
}

uint32_t CaptureBriefStack() {
  const Session* session = Current();
  if (session == nullptr || !HasRoom()) return 0;
  trace::StackRecord native;
  trace::PythonStackRecord python;
  if (session->config.python_stacks) CapturePythonFrames(&python);
  if (python.count == 0 && session->config.native_stacks) {
    CaptureNative(&native);
  }
  return InternAny(&native, &python);
}

namespace {

void EmitStacksCoverage(const Config& config) {
  const bool both = config.native_stacks && config.python_stacks;
  const char* what = both                   ? "native and Python"
                     : config.native_stacks ? "native"
                     : config.python_stacks ? "Python"
                                            : "INQUEST_STACKS=off";
  const bool any = config.native_stacks || config.python_stacks;
  EmitCoverage("stacks", any ? "on" : "off", what);
}

}  // namespace

constinit const Source kStacksSource = {
    .name = "stacks",
    .start = EmitStacksCoverage,
    .forget_in_child = [] { g_seen_stacks.Forget(); },
};

}  // namespace inquest::collector
