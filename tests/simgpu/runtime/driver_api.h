// SPDX-License-Identifier: Apache-2.0
// The driver as the runtime and cuDNN stand-ins see it: libcuda.so.1, opened
// with dlopen and looked up with dlsym as the real libraries do, so that tools
// that watch those calls see the same.
//
// Used by runtime/ and cudnn/. Loaded once; a library that lacks one of the
// functions counts as no driver at all. Thread-safe.
#pragma once

#include <cuda.h>
#include <cudaProfiler.h>

#include "abi/callback_state.h"

namespace simgpu {

// X(function): every driver function that the runtime uses.
// clang-format off
#define SIMGPU_DRIVER_FUNCTIONS(X) \
  X(cuInit) \
  X(cuDriverGetVersion) \
  X(cuGetProcAddress_v2) \
  X(cuGetExportTable) \
  X(cuDeviceGetCount) \
  X(cuDeviceGetName) \
  X(cuDeviceGetUuid_v2) \
  X(cuDeviceTotalMem_v2) \
  X(cuDeviceGetAttribute) \
  X(cuDeviceGetPCIBusId) \
  X(cuDeviceGetByPCIBusId) \
  X(cuDeviceCanAccessPeer) \
  X(cuDevicePrimaryCtxRetain) \
  X(cuDevicePrimaryCtxReset_v2) \
  X(cuDevicePrimaryCtxSetFlags_v2) \
  X(cuDevicePrimaryCtxGetState) \
  X(cuCtxSetCurrent) \
  X(cuCtxGetCurrent) \
  X(cuCtxSynchronize) \
  X(cuCtxGetStreamPriorityRange) \
  X(cuMemGetInfo_v2) \
  X(cuMemAlloc_v2) \
  X(cuMemAllocPitch_v2) \
  X(cuMemFree_v2) \
  X(cuMemAllocManaged) \
  X(cuMemHostAlloc) \
  X(cuMemFreeHost) \
  X(cuMemHostRegister_v2) \
  X(cuMemHostUnregister) \
  X(cuMemHostGetDevicePointer_v2) \
  X(cuMemHostGetFlags) \
  X(cuMemAllocAsync) \
  X(cuMemFreeAsync) \
  X(cuMemAllocFromPoolAsync) \
  X(cuMemPoolCreate) \
  X(cuMemPoolDestroy) \
  X(cuMemPoolTrimTo) \
  X(cuMemPoolGetAttribute) \
  X(cuMemPoolSetAttribute) \
  X(cuMemPoolSetAccess) \
  X(cuDeviceGetDefaultMemPool) \
  X(cuDeviceGetMemPool) \
  X(cuDeviceSetMemPool) \
  X(cuArray3DCreate_v2) \
  X(cuArrayDestroy) \
  X(cuMemcpy) \
  X(cuMemcpyAsync) \
  X(cuMemcpyHtoD_v2) \
  X(cuMemcpyDtoH_v2) \
  X(cuMemcpyDtoD_v2) \
  X(cuMemcpyHtoDAsync_v2) \
  X(cuMemcpyDtoHAsync_v2) \
  X(cuMemcpyDtoDAsync_v2) \
  X(cuMemsetD8_v2) \
  X(cuMemsetD8Async) \
  X(cuStreamCreate) \
  X(cuStreamCreateWithPriority) \
  X(cuStreamDestroy_v2) \
  X(cuStreamSynchronize) \
  X(cuStreamQuery) \
  X(cuStreamWaitEvent) \
  X(cuStreamGetFlags) \
  X(cuStreamGetPriority) \
  X(cuStreamGetId) \
  X(cuStreamIsCapturing) \
  X(cuLaunchHostFunc) \
  X(cuEventCreate) \
  X(cuEventDestroy_v2) \
  X(cuEventRecord) \
  X(cuEventQuery) \
  X(cuEventSynchronize) \
  X(cuEventElapsedTime) \
  X(cuPointerGetAttributes) \
  X(cuIpcGetMemHandle) \
  X(cuIpcOpenMemHandle_v2) \
  X(cuIpcCloseMemHandle) \
  X(cuLaunchKernel) \
  X(cuModuleLoadData) \
  X(cuModuleGetFunction) \
  X(cuLibraryLoadData) \
  X(cuLibraryUnload) \
  X(cuLibraryGetKernel) \
  X(cuProfilerStart) \
  X(cuProfilerStop)
// clang-format on

struct DriverApi {
#define SIMGPU_MEMBER(name) decltype(&::name) name = nullptr;
  SIMGPU_DRIVER_FUNCTIONS(SIMGPU_MEMBER)
#undef SIMGPU_MEMBER
  // Null under a driver that is not the stand-in: then no callbacks come.
  const PrivateTable* table = nullptr;
};

// Null when there is no usable driver.
const DriverApi* LoadDriver();

}  // namespace simgpu
