// SPDX-License-Identifier: Apache-2.0
// CUPTI's queries, and the activity API, which this stand-in does not
// implement: it returns an error instead of delivering empty buffers.
// Everything else that CUPTI exports answers CUPTI_ERROR_NOT_SUPPORTED, see
// generate_api.py.
#include <time.h>

#include "cupti/names.h"
#include "cupti/subscriber.h"

namespace simgpu::cupti {
namespace {

thread_local CUptiResult t_last = CUPTI_SUCCESS;
std::atomic<int> g_thread_id_type{CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT};

}  // namespace

CUptiResult Answer(CUptiResult result) {
  if (result != CUPTI_SUCCESS) t_last = result;
  return result;
}

}  // namespace simgpu::cupti

using simgpu::cupti::Answer;
using simgpu::cupti::Driver;

// Called by the generated functions.
int simgpu_not_done(const char*, int value) {
  return Answer(static_cast<CUptiResult>(value));
}

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  if (timestamp == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *timestamp = static_cast<uint64_t>(now.tv_sec) * 1000000000u +
               static_cast<uint64_t>(now.tv_nsec);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  if (text == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *text = simgpu::cupti::ResultName(result);
  return Answer(*text ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}

CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text) {
  return cuptiGetResultString(result, text);
}

CUptiResult cuptiGetLastError() {
  const CUptiResult last = simgpu::cupti::t_last;
  simgpu::cupti::t_last = CUPTI_SUCCESS;
  return last;
}

CUptiResult cuptiGetContextId(CUcontext context, uint32_t* id) {
  if (id == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  if (Driver() == nullptr) return Answer(CUPTI_ERROR_NOT_INITIALIZED);
  *id = Driver()->context_uid(context);
  return Answer(*id != 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT);
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t* id) {
  if (id == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  if (Driver() == nullptr) return Answer(CUPTI_ERROR_NOT_INITIALIZED);
  if (context == nullptr) context = Driver()->current_context();
  const CUdevice device = Driver()->context_device(context);
  if (device < 0) return Answer(CUPTI_ERROR_INVALID_CONTEXT);
  *id = static_cast<uint32_t>(device);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream,
                               uint8_t per_thread, uint32_t* id) {
  if (id == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  if (Driver() == nullptr) return Answer(CUPTI_ERROR_NOT_INITIALIZED);
  if (stream == nullptr && per_thread != 0) stream = CU_STREAM_PER_THREAD;
  *id = Driver()->stream_id(context, stream);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamId(CUcontext context, CUstream stream, uint32_t* id) {
  return cuptiGetStreamIdEx(context, stream, 0, id);
}

CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  if (type == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *type = static_cast<CUpti_ActivityThreadIdType>(
      simgpu::cupti::g_thread_id_type.load());
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  if (type < 0 || type >= CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE) {
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  }
  simgpu::cupti::g_thread_id_type.store(type);
  return CUPTI_SUCCESS;
}

// Nothing is ever recorded, so there is nothing to flush and no next record.
CUptiResult cuptiActivityFlushAll(uint32_t) {
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t*, size_t, CUpti_Activity**) {
  return Answer(CUPTI_ERROR_MAX_LIMIT_REACHED);
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t,
                                              size_t* dropped) {
  if (dropped == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *dropped = 0;
  return CUPTI_SUCCESS;
}

}  // extern "C"
