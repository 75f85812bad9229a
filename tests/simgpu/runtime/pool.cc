// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory and its pools.
#include "runtime/api.h"

namespace simgpu::runtime {

cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t stream) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemAllocAsync(DevicePtr(out), bytes, stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** out, size_t bytes,
                                    cudaMemPool_t pool, cudaStream_t stream) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemAllocFromPoolAsync(DevicePtr(out), bytes, pool, stream);
  });
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemFreeAsync(reinterpret_cast<CUdeviceptr>(memory), stream);
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* out,
                              const struct cudaMemPoolProps* props) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemPoolCreate(out,
                              reinterpret_cast<const CUmemPoolProps*>(props));
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuMemPoolDestroy(pool); });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuMemPoolTrimTo(pool, keep); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attribute,
                                    void* value) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemPoolGetAttribute(
        pool, static_cast<CUmemPool_attribute>(attribute), value);
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attribute,
                                    void* value) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemPoolSetAttribute(
        pool, static_cast<CUmemPool_attribute>(attribute), value);
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* out, int device) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuDeviceGetDefaultMemPool(out, device);
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* out, int device) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuDeviceGetMemPool(out, device); });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuDeviceSetMemPool(device, pool); });
}

}  // namespace simgpu::runtime
