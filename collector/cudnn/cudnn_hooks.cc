// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_hooks.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "collector/core/dlsym_hook.h"
#include "collector/core/emit.h"
#include "collector/core/errors.h"
#include "collector/core/next_symbol.h"
#include "collector/core/session.h"
#include "collector/core/thread_state.h"
#include "collector/cudnn/cudnn_backend.h"
#include "collector/cudnn/cudnn_log.h"
#include "collector/cudnn/cudnn_parts.h"
#include "collector/process/modules.h"

namespace inquest::collector {
namespace {

// Depth of cuDNN calls in this thread: calls inside cuDNN are not the host's.
thread_local int t_depth = 0;

// A way in which hosts reach the hooks, and the session in which it was
// recorded.
struct HookRoute {
  const char* source;
  std::atomic<bool> used{false};
  std::atomic<uint32_t> noted{0};
};
HookRoute g_plt{"cudnn-plt"};
HookRoute g_dlsym{"cudnn-dlsym"};

void* FindReal(const CudnnSlot& slot, void* caller) {
  void* found = FindNextSymbol(slot.name, caller);
  return found != nullptr ? found : RealCudnn(slot.name);
}

void* RealFor(CudnnSlot* slot, void* caller, bool inside_cudnn) {
  std::atomic<void*>& cache = inside_cudnn ? slot->inside : slot->host;
  void* real = cache.load(std::memory_order_acquire);
  if (real != nullptr) return real;
  // cuDNN's own threads begin at depth 0: do not mistake their calls for the
  // host's.
  if (!inside_cudnn && IsCudnnModule(caller)) {
    return RealFor(slot, caller, true);
  }
  real = FindReal(*slot, caller);
  if (!inside_cudnn) g_plt.used.store(true);
  if (real != nullptr) cache.store(real, std::memory_order_release);
  return real;
}

using GetStatusName = const char* (*)(int);
using GetLastText = void (*)(char*, size_t);

GetLastText RealLastText() {
  static const auto get =
      reinterpret_cast<GetLastText>(RealCudnn("cudnnGetLastErrorString"));
  return get;
}

// cuDNN returns its error text only once, so it is kept for the host.
const char* TakeLastText() {
  ThreadState* thread = GetThreadState();
  if (thread == nullptr || RealLastText() == nullptr) return "";
  thread->cudnn_text[0] = '\0';
  RealLastText()(thread->cudnn_text, sizeof thread->cudnn_text - 1);
  return thread->cudnn_text;
}

// Whether cuDNN has checked the descriptors and found them valid. Not the case
// with NOT_INITIALIZED and BAD_PARAM of cuDNN 8 and their families of 9.
bool AcceptedOperands(int result) {
  return result < 1000 ? result != 1 && result != 3 : result >= 3000;
}

void NoteHookRoutes(const Session& session) {
  for (HookRoute* route : {&g_plt, &g_dlsym}) {
    if (!route->used.load(std::memory_order_relaxed)) continue;
    if (route->noted.load(std::memory_order_relaxed) == session.generation) {
      continue;
    }
    if (route->noted.exchange(session.generation) != session.generation) {
      EmitCoverage(route->source, "on", "");
    }
  }
}

}  // namespace

const char* CudnnStatusName(int status) {
  static const auto get =
      reinterpret_cast<GetStatusName>(RealCudnn("cudnnGetErrorString"));
  const char* name = get == nullptr ? nullptr : get(status);
  return name == nullptr ? "" : name;
}

int CudnnHookIndex(const char* name) {
  CudnnSlot* end = g_cudnn_slots + g_cudnn_slot_count;
  CudnnSlot* at = std::lower_bound(g_cudnn_slots, end, name,
                                   [](const CudnnSlot& slot, const char* key) {
                                     return std::strcmp(slot.name, key) < 0;
                                   });
  return at != end && std::strcmp(at->name, name) == 0
             ? static_cast<int>(at - g_cudnn_slots)
             : -1;
}

void* RealCudnn(const char* name) {
  for (const char* prefix : {"libcudnn.so", "libcudnn_graph.so", "libcudnn"}) {
    void* handle = HandleOfLoaded(prefix);
    void* found = handle == nullptr ? nullptr : RealDlsym(handle, name);
    if (found != nullptr && !IsOurs(found)) return found;
  }
  return nullptr;
}

bool AnswerDlsym(int index, void* handle, void* caller, void** address) {
  CudnnSlot& slot = g_cudnn_slots[index];
  void* const hook = g_cudnn_hooks[index];
  void* real = handle == RTLD_DEFAULT ? hook : RealDlsym(handle, slot.name);
  if (real == nullptr) return false;  // called again, it says why
  if (real == hook) {
    // The global scope begins with this library. If no cuDNN is loaded, return
    // what the rest of the scope gives: null, with the reason in dlerror.
    real = FindReal(slot, caller);
    if (real == nullptr) {
      *address = RealDlsym(RTLD_NEXT, slot.name);
      return true;
    }
  }
  g_dlsym.used.store(true);
  void* before = nullptr;
  const bool ours =
      slot.host.compare_exchange_strong(before, real) || before == real;
  *address = ours ? hook : real;
  return true;
}

// Looking up an address costs more than everything else, so the last one is
// kept.
static bool CalledByHost(CudnnSlot* slot, void* caller) {
  if (slot->caller.load(std::memory_order_relaxed) == caller) return true;
  if (IsCudnnModule(caller)) return false;
  slot->caller.store(caller, std::memory_order_relaxed);
  return true;
}

CudnnCall::CudnnCall(int index, void* caller)
    : slot_(g_cudnn_slots[index]),
      real_(RealFor(&slot_, caller, t_depth > 0)),
      recorded_(t_depth == 0 && !Inside()) {
  ++t_depth;
  if (!recorded_) return;
  const Session* session =
      CalledByHost(&slot_, caller) ? EnsureSession() : nullptr;
  recorded_ = session != nullptr;
  if (!recorded_) return;
  NoteHookRoutes(*session);
  WatchCudnnLog();
  CheckNewCudnnParts();
  begin_ns_ = NowNs();
}

CudnnCall::~CudnnCall() {
  --t_depth;
}

bool CudnnCall::Done(int result, const void* handle, const CudnnRun* run) {
  if (!recorded_) return false;
  WatchCudnnLog();
  if (result != 0) return true;
  if (slot_.keeps_books) {
    Count();
    return false;
  }
  const trace::CudnnCallRecord record = Record(result, handle);
  if (run == nullptr) {
    Emit(record);
  } else {
    EmitRun(record, *run, Journal::Full::kDrop);
  }
  return false;
}

trace::CudnnCallRecord CudnnCall::Record(int result, const void* handle) const {
  trace::CudnnCallRecord record;
  record.time_ns = end_ns_ != 0 ? end_ns_ : NowNs();
  record.duration_ns = record.time_ns - begin_ns_;
  record.handle = reinterpret_cast<uintptr_t>(handle);
  record.result = result;
  record.thread = ThreadId();
  record.function = slot_.name;
  return record;
}

uint64_t CudnnCall::ChoiceOf(const CudnnRun& run, int result) const {
  if (run.plan != nullptr) return BackendChoice(slot_.name, run.plan, run.pack);
  if (run.rejected != nullptr) {
    return BackendRejection(slot_.name, run.rejected, run.attribute);
  }
  const CudnnTrust trust = missing()                  ? CudnnTrust::kMissing
                           : AcceptedOperands(result) ? CudnnTrust::kAccepted
                                                      : CudnnTrust::kRejected;
  bool refused = false;
  const uint64_t choice =
      CudnnChoiceOf(slot_.name, real_, run, trust, &refused);
  // The host did not ask, so our failed call must not leave an error text.
  char unheard[64];
  if (refused && RealLastText() != nullptr) {
    RealLastText()(unheard, sizeof unheard);
  }
  return choice;
}

void CudnnCall::EmitRun(const trace::CudnnCallRecord& record,
                        const CudnnRun& run, Journal::Full full) const {
  const uint64_t choice = ChoiceOf(run, record.result);
  if (choice == 0) {
    Emit(record, full);
    return;
  }
  Emit(trace::CudnnTurnRecord{record.time_ns, record.duration_ns, record.handle,
                              choice, record.result, record.thread,
                              record.detail},
       full);
}

void CudnnCall::NoteWorkspace(int result, const CudnnRun& run,
                              const size_t* bytes) {
  if (!recorded_ || result != 0 || bytes == nullptr) return;
  NoteCudnnWorkspace(real_, run, *bytes);
}

void CudnnCall::Failed(int result, const void* handle, CallDetail* detail,
                       const CudnnRun* run) {
  InsideScope inside;
  trace::CudnnCallRecord record = Record(result, handle);
  detail->AddRange();
  record.detail = detail->Text();
  // Before any other call of cuDNN, which keeps only one text.
  const char* words = missing() ? "" : TakeLastText();
  if (run == nullptr) {
    Emit(record, Journal::Full::kWait);
  } else {
    EmitRun(record, *run, Journal::Full::kWait);
  }
  if (missing()) {
    char text[256];
    std::snprintf(text, sizeof text,
                  "no loaded cuDNN has %s; the program was built against one "
                  "that does",
                  slot_.name);
    return NoteApiError(
        {"cudnn", slot_.name, result, "function missing", text, -1, false});
  }
  NoteApiError(
      {"cudnn", slot_.name, result, CudnnStatusName(result), words, -1, false});
}

}  // namespace inquest::collector

// Not generated: returns to the host the text that Failed has taken.
extern "C" __attribute__((visibility("default"))) void cudnnGetLastErrorString(
    char* text, size_t size) {
  using namespace inquest::collector;
  if (RealLastText() == nullptr) return;
  RealLastText()(text, size);
  ThreadState* thread = GetThreadState();
  if (thread == nullptr || text == nullptr || size == 0) return;
  if (text[0] == '\0') std::snprintf(text, size, "%s", thread->cudnn_text);
  thread->cudnn_text[0] = '\0';
}
