// SPDX-License-Identifier: Apache-2.0
#include "collector/cuda/cupti_callbacks.h"

#include <cuda.h>

#include <string>

#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/core/errors.h"
#include "collector/core/event_clock.h"
#include "collector/core/guard.h"
#include "collector/core/session.h"
#include "collector/core/thread_state.h"
#include "collector/cuda/cuda_api.h"
#include "collector/cuda/devices.h"
#include "collector/cuda/memory_call_ends.h"
#include "collector/cuda/memory_calls.h"
#include "collector/stacks/stacks.h"
#include "trace/records/result_meaning.h"

namespace inquest::collector {
namespace {

static_assert(CUDA_ERROR_UNKNOWN <= trace::MemoryRecord::kMaxResult,
              "MemoryRecord has too few bits for the driver's results");

// Capturing the stack of a free costs as much as that of an allocation, and is
// rarely needed. A free that failed has its stack in api_error.
uint32_t StackOf(trace::MemoryOp op) {
  switch (op) {
    case trace::MemoryOp::kFree:
    case trace::MemoryOp::kFreeFailed:
    case trace::MemoryOp::kUnmap:
    case trace::MemoryOp::kUnreserve:
    case trace::MemoryOp::kUnregister:
      if (const Session* session = Current();
          session == nullptr || !session->config.free_stacks) {
        return 0;
      }
      return CaptureStack();
    default:
      return CaptureStack();
  }
}

void WriteMemoryEvent(const MemoryCall& call, uint32_t context,
                      int64_t result) {
  trace::MemoryRecord record;
  record.time_ns = NowNs();
  record.address = call.address;
  record.bytes = call.bytes;
  record.stream = call.stream;
  record.pool = call.pool;
  record.context = context;
  record.thread = ThreadId();
  const int device =
      call.device == kCurrentDevice ? DeviceOfContext(context) : call.device;
  record.device = static_cast<int8_t>(device);
  record.SetCall(call.op, call.kind, result);
  record.stack = StackOf(call.op);
  if (ThreadState* thread = GetThreadState(); thread != nullptr) {
    thread->refusals.Add(record, [](const auto& due) { EmitMemory(due); });
  }
}

int64_t ResultOf(const CUpti_CallbackData& data) {
  return data.callbackSite == CUPTI_API_EXIT &&
                 data.functionReturnValue != nullptr
             ? *static_cast<const CUresult*>(data.functionReturnValue)
             : CUDA_SUCCESS;
}

// One end of a driver call, as far as it is known without its parameters.
struct CallEnd {
  bool exit;
  int64_t result;
  bool memory;  // its parameters hold a memory event
};

CallEnd ReadCallEnd(uint32_t cbid, const CUpti_CallbackData& data) {
  const bool exit = data.callbackSite == CUPTI_API_EXIT;
  const int64_t result = ResultOf(data);
  return {exit, result, HasMemoryEvent(cbid, exit, result == CUDA_SUCCESS)};
}

// Asks the driver for the size of a block that belongs to another process.
void CompleteIpc(MemoryCall* call) {
  CUdeviceptr base = 0;
  size_t size = 0;
  if (call->kind == trace::MemoryKind::kIpc && call->address != 0 &&
      Driver().cuMemGetAddressRange != nullptr &&
      Driver().cuMemGetAddressRange(&base, &size, call->address) ==
          CUDA_SUCCESS) {
    call->bytes = size;
  }
}

void OnMemory(uint32_t cbid, const CUpti_CallbackData& data,
              const CallEnd& end) {
  const bool succeeded = end.result == CUDA_SUCCESS;
  MemoryCall call;
  if (!ReadMemoryCall(cbid, data.functionParams, end.exit, succeeded, &call)) {
    return;
  }
  if (end.exit) CompleteIpc(&call);
  WriteMemoryEvent(call, data.contextUid, end.result);
  if (end.exit && !succeeded && call.op == trace::MemoryOp::kAlloc) {
    SampleCurrentDevice(DeviceOfContext(data.contextUid), "failure");
  }
}

// At the enter of the first call with a context, if there is one: at its exit
// the free memory would no longer include what the call allocated.
void FirstContext(const CUpti_CallbackData& data) {
  if (data.contextUid == 0 || DevicesKnown()) return;
  NoteDevices();
  SampleCurrentDevice(DeviceOfContext(data.contextUid), "start");
  WakeDrain();
}

void OnDriver(uint32_t cbid, const CUpti_CallbackData& data,
              const CallEnd& end) {
  FirstContext(data);
  if (end.memory) OnMemory(cbid, data, end);
  if (trace::IsHarmlessCudaResult(end.result)) return;
  ThreadState* thread = GetThreadState();
  if (thread != nullptr && thread->in_runtime) {
    thread->nested_function = data.functionName;
    thread->nested_result = end.result;
    return;
  }
  NoteApiError({"driver", data.functionName, end.result,
                DriverErrorName(end.result), DriverErrorText(end.result),
                DeviceOfContext(data.contextUid),
                trace::IsStickyCudaResult(end.result)});
}

void OnRuntime(const CUpti_CallbackData& data) {
  ThreadState* thread = GetThreadState();
  if (thread == nullptr) return;
  if (data.callbackSite == CUPTI_API_ENTER) {
    thread->in_runtime = true;
    thread->nested_function = nullptr;
    return;
  }
  thread->in_runtime = false;
  int64_t result = 0;
  if (data.functionReturnValue != nullptr) {
    result = *static_cast<const int*>(data.functionReturnValue);
  }
  if (trace::IsHarmlessCudaResult(result)) return;
  std::string text = RuntimeErrorText(result);
  if (thread->nested_function != nullptr) {
    text += " (in ";
    text += thread->nested_function;
    if (thread->nested_result != result) {
      text += ": ";
      text += DriverErrorName(thread->nested_result);
    }
    text += ")";
  }
  NoteApiError({"runtime", data.functionName, result, RuntimeErrorName(result),
                text, DeviceOfContext(data.contextUid),
                trace::IsStickyCudaResult(result)});
}

void OnResource(const CuptiApi& api, uint32_t cbid,
                const CUpti_ResourceData& data) {
  if (cbid != CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) return;
  uint32_t context = 0;
  if (api.get_context_id == nullptr ||
      api.get_context_id(data.context, &context) != CUPTI_SUCCESS) {
    return;
  }
  MemoryCall call;
  call.op = trace::MemoryOp::kContextDestroy;
  WriteMemoryEvent(call, context, 0);
}

template <typename Handle>
void Handled(Handle handle) {
  if (EnsureSession() == nullptr) return;
  InsideScope inside;
  WithoutThrowing(handle);
}

}  // namespace

void OnCuptiCallback(const CuptiApi& api, CUpti_CallbackDomain domain,
                     CUpti_CallbackId cbid, const void* data) {
  if (Inside() || data == nullptr) return;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    const CallEnd end = ReadCallEnd(cbid, call);
    // Half of all callbacks, and both of a successful launch: there is nothing
    // to record, so return early.
    if (!end.memory && end.result == CUDA_SUCCESS && DevicesKnown()) return;
    Handled([&] { OnDriver(cbid, call, end); });
  } else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    Handled([&] { OnRuntime(*static_cast<const CUpti_CallbackData*>(data)); });
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    Handled([&] {
      OnResource(api, cbid, *static_cast<const CUpti_ResourceData*>(data));
    });
  }
}

}  // namespace inquest::collector
