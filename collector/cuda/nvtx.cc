// SPDX-License-Identifier: Apache-2.0
// Training steps from NVTX. The NVTX headers in the host load the tool named by
// NVTX_INJECTION64_PATH at their first use and call InitializeInjectionNvtx2,
// which may then replace the functions of their table; see nvtxTypes.h of NVTX
// 3 for the tables.
//
// A range or mark is kept when its name says that it is a step or an epoch
// (trace/records/step_names.h), or, until some of these were seen, when it is
// the outermost pushed range of its thread and not an operation of a library: a
// program may push a range of another name around each of its steps. The
// analyzer decides which of them are the steps. A limited number of each kind
// is taken per second; the others are counted as loss. NVTX alone does not
// start a session: a process that never uses CUDA leaves no files, however much
// it annotates.
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "base/secrets/secrets.h"
#include "collector/core/config.h"
#include "collector/core/emit.h"
#include "collector/core/event_rate.h"
#include "collector/core/lifecycle.h"
#include "collector/core/source.h"
#include "collector/core/thread_state.h"
#include "trace/records/step_names.h"

namespace inquest::collector {
namespace {

constexpr size_t kMaxName = 200;
constexpr int64_t kEnoughSteps = 3;

std::atomic<int64_t> g_steps{0};  // seen, up to kEnoughSteps and a little
EventRate g_step_rate{1000, "step"};
EventRate g_other_rate{100, "range"};

bool IsKept(trace::RangeKind kind, bool outermost, int64_t now) {
  const bool enough = g_steps.load(std::memory_order_relaxed) >= kEnoughSteps;
  if (kind == trace::RangeKind::kOther) {
    return outermost && !enough && g_other_rate.Admits(now);
  }
  if (!enough) g_steps.fetch_add(1, std::memory_order_relaxed);
  return g_step_rate.Admits(now);
}

// The ticket of the range's beginning; 0 if it is not recorded.
uint64_t BeginRange(std::string_view name, bool outermost, bool mark) {
  if (Current() == nullptr) return 0;
  const trace::RangeKind kind = trace::KindOfRange(name);
  if (kind == trace::RangeKind::kOperation) return 0;
  const int64_t now = MonotonicNs();
  if (!IsKept(kind, outermost, now)) return 0;
  trace::StepBeginRecord record;
  record.begin_ns = now;
  if (mark) record.end_ns = now;
  record.thread = ThreadId();
  name = name.substr(0, kMaxName);
  const std::optional<std::string> masked = FindAndMaskSecrets(name);
  record.name = masked ? *masked : name;
  const uint64_t ticket = Emit(record);
  return ticket == Journal::kDropped ? 0 : ticket;
}

void End(uint64_t ticket) {
  if (ticket != 0) Emit(trace::StepEndRecord{ticket, MonotonicNs()});
}

int Push(std::string_view name) {
  ThreadState* thread = GetThreadState();
  if (thread == nullptr) return NVTX_NO_PUSH_POP_TRACKING;
  const int depth = thread->range_depth++;
  if (depth < ThreadState::kRanges) {
    thread->ranges[depth] = BeginRange(name, depth == 0, false);
    char* kept = thread->range_names[depth];
    kept[name.copy(kept, ThreadState::kRangeName - 1)] = '\0';
  }
  return depth;
}

int Pop() {
  ThreadState* thread = GetThreadState();
  if (thread == nullptr || thread->range_depth == 0) {
    return NVTX_NO_PUSH_POP_TRACKING;
  }
  const int depth = --thread->range_depth;
  if (depth < ThreadState::kRanges) End(thread->ranges[depth]);
  return depth;
}

// Returned by RegisterString; lives as long as the process.
struct RegisteredString {
  char text[kMaxName + 1];
};

std::string_view NameOf(const nvtxEventAttributes_t* event) {
  if (event == nullptr) return {};
  if (event->messageType == NVTX_MESSAGE_TYPE_ASCII &&
      event->message.ascii != nullptr) {
    return event->message.ascii;
  }
  if (event->messageType == NVTX_MESSAGE_TYPE_REGISTERED &&
      event->message.registered != nullptr) {
    return reinterpret_cast<const RegisteredString*>(event->message.registered)
        ->text;
  }
  return {};  // wide characters are not read
}

std::string_view Text(const char* text) {
  return text == nullptr ? "" : text;
}

void MarkEx(const nvtxEventAttributes_t* event) {
  BeginRange(NameOf(event), false, true);
}
void MarkA(const char* text) {
  BeginRange(Text(text), false, true);
}
nvtxRangeId_t StartEx(const nvtxEventAttributes_t* event) {
  return BeginRange(NameOf(event), false, false);
}
nvtxRangeId_t StartA(const char* text) {
  return BeginRange(Text(text), false, false);
}
void RangeEnd(nvtxRangeId_t id) {
  End(id);
}
int PushEx(const nvtxEventAttributes_t* event) {
  return Push(NameOf(event));
}
int PushA(const char* text) {
  return Push(Text(text));
}

void DomainMarkEx(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  MarkEx(event);
}
nvtxRangeId_t DomainStartEx(nvtxDomainHandle_t,
                            const nvtxEventAttributes_t* event) {
  return StartEx(event);
}
void DomainRangeEnd(nvtxDomainHandle_t, nvtxRangeId_t id) {
  End(id);
}
int DomainPushEx(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  return PushEx(event);
}
int DomainPop(nvtxDomainHandle_t) {
  return Pop();
}
nvtxStringHandle_t RegisterString(nvtxDomainHandle_t, const char* text) {
  auto* kept = new (std::nothrow) RegisteredString{};
  if (kept == nullptr) return nullptr;
  std::strncpy(kept->text, text == nullptr ? "" : text, kMaxName);
  return reinterpret_cast<nvtxStringHandle_t>(kept);
}

// Puts a function into the host's table, if the table has that entry.
template <typename Function>
void Put(NvtxFunctionTable table, unsigned size, unsigned place,
         Function* function) {
  if (place < size && table[place] != nullptr) {
    *table[place] = reinterpret_cast<NvtxFunctionPointer>(function);
  }
}

bool Attach(NvtxGetExportTableFunc_t get_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(
      get_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof *callbacks) {
    return false;
  }
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) {
    Put(table, size, NVTX_CBID_CORE_MarkEx, MarkEx);
    Put(table, size, NVTX_CBID_CORE_MarkA, MarkA);
    Put(table, size, NVTX_CBID_CORE_RangeStartEx, StartEx);
    Put(table, size, NVTX_CBID_CORE_RangeStartA, StartA);
    Put(table, size, NVTX_CBID_CORE_RangeEnd, RangeEnd);
    Put(table, size, NVTX_CBID_CORE_RangePushEx, PushEx);
    Put(table, size, NVTX_CBID_CORE_RangePushA, PushA);
    Put(table, size, NVTX_CBID_CORE_RangePop, Pop);
  }
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) {
    Put(table, size, NVTX_CBID_CORE2_DomainMarkEx, DomainMarkEx);
    Put(table, size, NVTX_CBID_CORE2_DomainRangeStartEx, DomainStartEx);
    Put(table, size, NVTX_CBID_CORE2_DomainRangeEnd, DomainRangeEnd);
    Put(table, size, NVTX_CBID_CORE2_DomainRangePushEx, DomainPushEx);
    Put(table, size, NVTX_CBID_CORE2_DomainRangePop, DomainPop);
    Put(table, size, NVTX_CBID_CORE2_DomainRegisterStringA, RegisterString);
  }
  return true;
}

}  // namespace

constinit const Source kNvtxSource = {
    .name = "nvtx",
    .start =
        [](const Config&) {
          const std::string other = InjectionState(kNvtxInjection);
          EmitCoverage("nvtx", other.empty() ? "on" : "off", other);
        },
};

}  // namespace inquest::collector

// Returns 1 when the tool has attached, as the NVTX headers expect.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_table) {
  using namespace inquest::collector;
  if (SwitchedOffByUser() || get_table == nullptr) return 0;
  return Attach(get_table) ? 1 : 0;
}
