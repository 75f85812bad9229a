// SPDX-License-Identifier: Apache-2.0
// Devices, versions, limits and errors.
#include <cstring>

#include "runtime/api.h"

namespace simgpu::runtime {
namespace {

cudaError_t Count(int* count) {
  const cudaError_t started = Started();
  return started != cudaSuccess ? started : Error(Cu().cuDeviceGetCount(count));
}

int Attribute(int device, CUdevice_attribute attribute) {
  int value = 0;
  Cu().cuDeviceGetAttribute(&value, attribute, device);
  return value;
}

void FillProperties(int device, struct cudaDeviceProp* out) {
  const auto get = [device](CUdevice_attribute attribute) {
    return Attribute(device, attribute);
  };
  out->major = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  out->minor = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  out->multiProcessorCount = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  out->maxThreadsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  out->maxThreadsDim[0] = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  out->maxThreadsDim[1] = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  out->maxThreadsDim[2] = get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  out->maxGridSize[0] = get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  out->maxGridSize[1] = get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  out->maxGridSize[2] = get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  out->warpSize = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  out->regsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  out->l2CacheSize = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  out->memoryBusWidth = get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  out->ECCEnabled = get(CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
  out->pciBusID = get(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  out->unifiedAddressing = get(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
  out->managedMemory = get(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
  out->memoryPoolsSupported = get(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
  out->sharedMemPerBlock =
      static_cast<size_t>(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  out->totalConstMem =
      static_cast<size_t>(get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY));
  out->textureAlignment =
      static_cast<size_t>(get(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  *count = 0;
  return Count(count);
}

cudaError_t cudaSetDevice(int device) {
  return UseDevice(device);
}

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return cudaErrorInvalidValue;
  const cudaError_t started = Started();
  if (started == cudaSuccess) *device = CurrentDevice();
  return started;
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return UseDevice(device);
}

cudaError_t cudaDeviceSynchronize() {
  return WithContext([](const DriverApi& cu) { return cu.cuCtxSynchronize(); });
}

cudaError_t cudaDeviceReset() {
  const cudaError_t started = Started();
  if (started != cudaSuccess) return started;
  const int device = CurrentDevice();
  const CUresult result = Cu().cuDevicePrimaryCtxReset_v2(device);
  ForgetContexts(device);
  NoteError(cudaSuccess);
  return Error(result);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* out, int device) {
  if (out == nullptr) return cudaErrorInvalidValue;
  int count = 0;
  const cudaError_t counted = Count(&count);
  if (counted != cudaSuccess) return counted;
  if (device < 0 || device >= count) return cudaErrorInvalidDevice;
  std::memset(out, 0, sizeof *out);
  Cu().cuDeviceGetName(out->name, sizeof out->name, device);
  Cu().cuDeviceGetUuid_v2(&out->uuid, device);
  Cu().cuDeviceTotalMem_v2(&out->totalGlobalMem, device);
  FillProperties(device, out);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute,
                                   int device) {
  const cudaError_t started = Started();
  if (started != cudaSuccess) return started;
  return Error(Cu().cuDeviceGetAttribute(
      value, static_cast<CUdevice_attribute>(attribute), device));
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  const cudaError_t started = Started();
  if (started != cudaSuccess) return started;
  return Error(Cu().cuDeviceGetPCIBusId(id, length, device));
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  const cudaError_t started = Started();
  if (started != cudaSuccess) return started;
  return Error(Cu().cuDeviceGetByPCIBusId(device, id));
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  const cudaError_t started = Started();
  if (started != cudaSuccess) return started;
  return Error(Cu().cuDeviceCanAccessPeer(can, device, peer));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuCtxGetStreamPriorityRange(least, greatest);
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  const cudaError_t started = Started();
  if (started != cudaSuccess) return started;
  return Error(Cu().cuDevicePrimaryCtxSetFlags_v2(CurrentDevice(), flags));
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  const cudaError_t started = Started();
  if (started != cudaSuccess) return started;
  int active = 0;
  return Error(
      Cu().cuDevicePrimaryCtxGetState(CurrentDevice(), flags, &active));
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) {
  return Ready();
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t) {
  return Ready();
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = 0;  // a missing driver is not an error here
  if (const DriverApi* driver = LoadDriver()) {
    driver->cuDriverGetVersion(version);
  }
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  return TakeLastError();
}

cudaError_t cudaPeekAtLastError() {
  return LastError();
}

cudaError_t cudaProfilerStart() {
  return WithContext([](const DriverApi& cu) { return cu.cuProfilerStart(); });
}

cudaError_t cudaProfilerStop() {
  return WithContext([](const DriverApi& cu) { return cu.cuProfilerStop(); });
}

}  // namespace simgpu::runtime
