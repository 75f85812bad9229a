// SPDX-License-Identifier: Apache-2.0
// Contexts: the primary one of each device and those a program creates. Each
// takes memory of its device while it lives.
#include <array>
#include <mutex>

#include "driver/api.h"
#include "driver/objects.h"
#include "driver/pool.h"

namespace simgpu::driver {
namespace {

struct Primary {
  CUcontext context = nullptr;
  int references = 0;
  unsigned flags = 0;
};

std::mutex g_context_mutex;
std::array<Primary, 8> g_primary;
std::atomic<uint32_t> g_uid{0};

Device* DeviceAt(CUdevice ordinal) {
  const auto& devices = Devices();
  if (ordinal < 0 || ordinal >= static_cast<int>(devices.size())) {
    return nullptr;
  }
  return devices[ordinal].get();
}

CUresult Make(Device* device, unsigned flags, bool primary, CUcontext* out) {
  uint64_t memory = 0;
  const uint64_t wanted = GetConfig().context_bytes;
  if (wanted > 0) {
    const auto address = device->AllocateTop(wanted);
    if (!address) return CUDA_ERROR_OUT_OF_MEMORY;
    memory = *address;
  }
  auto* context = new CUctx_st;
  context->uid = ++g_uid;
  context->device = device;
  context->flags = flags;
  context->primary = primary;
  context->memory = memory;
  *out = context;
  EmitContext(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, context);
  return CUDA_SUCCESS;
}

void Unmake(CUcontext context) {
  EmitContext(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, context);
  context->device->FreeOwned(context->uid);
  if (context->memory != 0) context->device->Free(context->memory);
  context->magic = kDead;  // the object stays: other threads may hold it
}

CUresult CreateCurrent(CUcontext* out, unsigned flags, CUdevice dev) {
  Device* device = DeviceAt(dev);
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const CUresult made = Make(device, flags, false, out);
  if (made == CUDA_SUCCESS) Push(*out);
  return made;
}

}  // namespace

CUresult cuCtxCreate_v2(CUcontext* out, unsigned flags, CUdevice dev) {
  return CreateCurrent(out, flags, dev);
}

CUresult cuCtxCreate_v3(CUcontext* out, CUexecAffinityParam*, int,
                        unsigned flags, CUdevice dev) {
  return CreateCurrent(out, flags, dev);
}

#if CUDA_VERSION >= 12050
CUresult cuCtxCreate_v4(CUcontext* out, CUctxCreateParams*, unsigned flags,
                        CUdevice dev) {
  return CreateCurrent(out, flags, dev);
}
#endif

CUresult cuCtxDestroy_v2(CUcontext context) {
  if (!IsLive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  if (context == Current()) Pop();
  Unmake(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (!IsLive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  Push(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext* out) {
  CUcontext top = Pop();
  if (top == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (out != nullptr) *out = top;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (context != nullptr && !IsLive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  SetCurrent(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = Current();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* dev) {
  if (dev == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (Current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *dev = Current()->device->ordinal();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned* flags) {
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (Current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *flags = Current()->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  if (context == nullptr) context = Current();
  if (!IsLive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *id = context->uid;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (context != nullptr && !IsLive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  *version = 3020;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  TrimPools(Current()->device);
  EmitSynchronized(CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, Current(),
                   nullptr);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return CUDA_SUCCESS;
}

// Profilers start and stop here; there is nothing to do.
CUresult cuProfilerStart() {
  return CUDA_SUCCESS;
}
CUresult cuProfilerStop() {
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice dev) {
  Device* device = DeviceAt(dev);
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(g_context_mutex);
  Primary& primary = g_primary[dev];
  if (primary.context == nullptr) {
    const CUresult made = Make(device, primary.flags, true, &primary.context);
    if (made != CUDA_SUCCESS) return made;
  }
  ++primary.references;
  *out = primary.context;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) {
  if (DeviceAt(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(g_context_mutex);
  Primary& primary = g_primary[dev];
  if (primary.context != nullptr) Unmake(primary.context);
  if (primary.context == Current()) Pop();
  primary.context = nullptr;
  primary.references = 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) {
  if (DeviceAt(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  {
    const std::lock_guard lock(g_context_mutex);
    Primary& primary = g_primary[dev];
    if (primary.references == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--primary.references > 0) return CUDA_SUCCESS;
  }
  return driver::cuDevicePrimaryCtxReset_v2(dev);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned* flags,
                                    int* active) {
  if (DeviceAt(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(g_context_mutex);
  if (flags != nullptr) *flags = g_primary[dev].flags;
  if (active != nullptr) *active = g_primary[dev].context != nullptr;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned flags) {
  if (DeviceAt(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const std::lock_guard lock(g_context_mutex);
  g_primary[dev].flags = flags;
  return CUDA_SUCCESS;
}

}  // namespace simgpu::driver
