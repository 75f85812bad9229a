// SPDX-License-Identifier: Apache-2.0
#include "cudnn/handle.h"

#include <array>

#include "cudnn/report.h"
#include "cudnn/version.h"
#include "runtime/driver_api.h"

namespace simgpu::cudnn {
namespace {

constexpr size_t kPointers = 6;

constexpr char kKernel[] = R"(
.version 6.0
.target sm_30
.address_size 64
.visible .entry cudnn_simulated_kernel(
    .param .u64 a, .param .u64 b, .param .u64 c,
    .param .u64 d, .param .u64 e, .param .u64 f)
{ ret; }
)";

// The driver with a context current: the caller's, or the primary one.
const DriverApi* UsableDriver() {
  const DriverApi* cu = LoadDriver();
  CUcontext context = nullptr;
  if (cu == nullptr || cu->cuInit(0) != CUDA_SUCCESS) return nullptr;
  cu->cuCtxGetCurrent(&context);
  if (context != nullptr) return cu;
  if (cu->cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS) return nullptr;
  return cu->cuCtxSetCurrent(context) == CUDA_SUCCESS ? cu : nullptr;
}

// 192 bytes for each multiprocessor, as release 9.19 takes.
size_t PersistentBytes(const DriverApi& cu) {
  int processors = 0;
  cu.cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                          0);
  return static_cast<size_t>(processors) * 3 / 2 * 128;
}

void Release(const DriverApi& cu, cudnnHandle_t handle) {
  cu.cuMemFree_v2(handle->persistent);
  cu.cuMemFree_v2(handle->constant);
  delete handle;
}

cudnnStatus_t LoadKernel(const Call& call, const DriverApi& cu,
                         cudnnHandle_t handle) {
  if (cu.cuModuleLoadData(&handle->module, kKernel) != CUDA_SUCCESS ||
      cu.cuModuleGetFunction(&handle->kernel, handle->module,
                             "cudnn_simulated_kernel") != CUDA_SUCCESS) {
    return call.Fail(CUDNN_STATUS_INTERNAL_ERROR,
                     "a kernel could not be loaded");
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

cudnnStatus_t Execute(const Call& call, cudnnHandle_t handle,
                      std::initializer_list<const void*> pointers) {
  SIMGPU_CUDNN_REFUSE(call, handle == nullptr, CUDNN_STATUS_BAD_PARAM);
  std::array<const void*, kPointers> values;
  values.fill(reinterpret_cast<const void*>(handle->constant));
  std::array<void*, kPointers> parameters;
  size_t at = 0;
  for (const void* pointer : pointers) {
    if (pointer == nullptr) {
      return call.Fail(CUDNN_STATUS_BAD_PARAM_NULL_POINTER,
                       "a data pointer is null");
    }
    values[at++] = pointer;
  }
  for (size_t i = 0; i < kPointers; ++i) parameters[i] = &values[i];
  const DriverApi& cu = *LoadDriver();
  if (handle->kernel == nullptr) {
    const cudnnStatus_t loaded = LoadKernel(call, cu, handle);
    if (loaded != CUDNN_STATUS_SUCCESS) return loaded;
  }
  const CUresult launched =
      cu.cuLaunchKernel(handle->kernel, 128, 1, 1, 256, 1, 1, 0, handle->stream,
                        parameters.data(), nullptr);
  if (launched == CUDA_SUCCESS) return CUDNN_STATUS_SUCCESS;
  return call.Fail(CUDNN_STATUS_EXECUTION_FAILED,
                   "the kernel launch failed: cudaGetLastError() != "
                   "cudaSuccess");
}

}  // namespace simgpu::cudnn

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* out) {
  using namespace simgpu::cudnn;
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, out == nullptr,
                      CUDNN_STATUS_BAD_PARAM_NULL_POINTER);
  for (const char* name : {"graph", "ops"}) {
    const char* reason = nullptr;
    const cudnnStatus_t agreed = CheckSubLibrary(name, &reason);
    if (agreed != CUDNN_STATUS_SUCCESS) return call.Fail(agreed, reason);
  }
  const simgpu::DriverApi* cu = UsableDriver();
  if (cu == nullptr) {
    return call.Fail(CUDNN_STATUS_NOT_INITIALIZED,
                     "cudaGetDeviceCount(&count) != cudaSuccess");
  }
  auto* handle = new cudnnContext;
  if (cu->cuMemAlloc_v2(&handle->persistent, PersistentBytes(*cu)) !=
          CUDA_SUCCESS ||
      cu->cuMemAlloc_v2(&handle->constant, 4) != CUDA_SUCCESS) {
    Release(*cu, handle);
    return call.Fail(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED,
                     "cudaMalloc for the handle's own buffer != cudaSuccess");
  }
  *out = handle;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, handle == nullptr, CUDNN_STATUS_BAD_PARAM);
  simgpu::cudnn::Release(*simgpu::LoadDriver(), handle);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, handle == nullptr, CUDNN_STATUS_BAD_PARAM);
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  SIMGPU_CUDNN_CALL(call);
  SIMGPU_CUDNN_REFUSE(call, handle == nullptr || stream == nullptr,
                      CUDNN_STATUS_BAD_PARAM);
  *stream = handle->stream;
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
