// SPDX-License-Identifier: Apache-2.0
// Streams and events. Work is done when it is submitted, so a stream is never
// busy; sticky errors are reported before these functions are reached.
#include <time.h>

#include "driver/api.h"
#include "driver/objects.h"
#include "driver/pool.h"

#undef cuEventElapsedTime  // the header maps it to the newest form

namespace simgpu::driver {
namespace {

// The legacy and the per-thread default stream have fixed handles.
bool IsDefault(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY ||
         stream == CU_STREAM_PER_THREAD;
}

std::atomic<uint32_t> g_stream_id{2};  // 1 and 2 are the default streams

uint64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<uint64_t>(now.tv_nsec);
}

CUresult MakeStream(CUstream* out, unsigned flags, int priority) {
  if (out == nullptr || flags > CU_STREAM_NON_BLOCKING) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto* stream = new CUstream_st;
  stream->id = ++g_stream_id;
  stream->context = Current();
  stream->flags = flags;
  stream->priority = priority;
  *out = stream;
  EmitStream(CUPTI_CBID_RESOURCE_STREAM_CREATED, Current(), stream);
  return CUDA_SUCCESS;
}

}  // namespace

bool IsStream(CUstream stream) {
  return IsDefault(stream) || IsLive(stream);
}

uint32_t StreamId(CUstream stream) {
  if (!IsDefault(stream)) return stream->id;
  return stream == CU_STREAM_PER_THREAD ? 2 : 1;
}

CUresult cuStreamCreate(CUstream* out, unsigned flags) {
  return MakeStream(out, flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags,
                                    int priority) {
  return MakeStream(out, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  if (!IsLive(stream)) return CUDA_ERROR_INVALID_HANDLE;
  EmitStream(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, stream->context,
             stream);
  stream->magic = kDead;
  delete stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  TrimPools(Current()->device);
  EmitSynchronized(CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED, Current(),
                   stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream) {
  return IsStream(stream) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return IsStream(stream) && IsLive(event) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = IsDefault(stream) ? 0 : stream->flags;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (priority == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *priority = IsDefault(stream) ? 0 : stream->priority;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* out) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = IsDefault(stream) ? Current() : stream->context;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *id = StreamId(stream);
  return CUDA_SUCCESS;
}

// No capture exists here, so a stream is never capturing.
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  function(data);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = new CUevent_st;
  (*out)->context = Current();
  (*out)->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  if (!IsLive(event)) return CUDA_ERROR_INVALID_HANDLE;
  event->magic = kDead;
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (!IsLive(event) || !IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  event->recorded_ns = NowNs();
  return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  return driver::cuEventRecord(event, stream);
}

CUresult cuEventQuery(CUevent event) {
  return IsLive(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventSynchronize(CUevent event) {
  return IsLive(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventElapsedTime_v2(float* ms, CUevent start, CUevent end) {
  if (!IsLive(start) || !IsLive(end)) return CUDA_ERROR_INVALID_HANDLE;
  if (ms == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (start->recorded_ns == 0 || end->recorded_ns == 0 ||
      ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *ms = static_cast<float>((static_cast<double>(end->recorded_ns) -
                            static_cast<double>(start->recorded_ns)) /
                           1e6);
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent end) {
  return driver::cuEventElapsedTime_v2(ms, start, end);
}

}  // namespace simgpu::driver
