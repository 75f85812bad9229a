// SPDX-License-Identifier: Apache-2.0
// Memory of every kind: device, pitched, managed, pinned, stream-ordered,
// arrays, and what is known about a pointer.
#include "runtime/api.h"

namespace simgpu::runtime {

cudaError_t cudaMalloc(void** out, size_t bytes) {
  if (out == nullptr) return cudaErrorInvalidValue;
  return WithContext([&](const DriverApi& cu) {
    *out = nullptr;  // a request of nothing succeeds and gives null
    if (bytes == 0) return CUDA_SUCCESS;
    return cu.cuMemAlloc_v2(DevicePtr(out), bytes);
  });
}

cudaError_t cudaFree(void* memory) {
  return WithContext([&](const DriverApi& cu) {
    if (memory == nullptr) return CUDA_SUCCESS;
    return cu.cuMemFree_v2(Address(memory));
  });
}

cudaError_t cudaMallocPitch(void** out, size_t* pitch, size_t width,
                            size_t height) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemAllocPitch_v2(DevicePtr(out), pitch, width, height, 4);
  });
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr* out, struct cudaExtent extent) {
  if (out == nullptr) return cudaErrorInvalidValue;
  out->xsize = extent.width;
  out->ysize = extent.height;
  return runtime::cudaMallocPitch(&out->ptr, &out->pitch, extent.width,
                                  extent.height * extent.depth);
}

cudaError_t cudaMallocManaged(void** out, size_t bytes, unsigned flags) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemAllocManaged(DevicePtr(out), bytes, flags);
  });
}

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned flags) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemHostAlloc(out, bytes, flags);
  });
}

cudaError_t cudaMallocHost(void** out, size_t bytes) {
  return runtime::cudaHostAlloc(out, bytes, 0);
}

cudaError_t cudaFreeHost(void* memory) {
  return WithContext([&](const DriverApi& cu) {
    return memory == nullptr ? CUDA_SUCCESS : cu.cuMemFreeHost(memory);
  });
}

cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned flags) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemHostRegister_v2(memory, bytes, flags);
  });
}

cudaError_t cudaHostUnregister(void* memory) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuMemHostUnregister(memory); });
}

cudaError_t cudaHostGetDevicePointer(void** out, void* memory, unsigned flags) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemHostGetDevicePointer_v2(DevicePtr(out), memory, flags);
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* memory) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuMemHostGetFlags(flags, memory); });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return WithContext(
      [&](const DriverApi& cu) { return cu.cuMemGetInfo_v2(free, total); });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* out,
                              const struct cudaChannelFormatDesc* desc,
                              struct cudaExtent extent, unsigned flags) {
  if (desc == nullptr || out == nullptr) return cudaErrorInvalidValue;
  CUDA_ARRAY3D_DESCRIPTOR shape = {};
  shape.Width = extent.width;
  shape.Height = extent.height;
  shape.Depth = extent.depth;
  shape.NumChannels = static_cast<unsigned>((desc->x > 0) + (desc->y > 0) +
                                            (desc->z > 0) + (desc->w > 0));
  shape.Format = desc->x == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
                 : desc->x == 16 ? CU_AD_FORMAT_HALF
                                 : CU_AD_FORMAT_FLOAT;
  shape.Flags = flags;
  return WithContext([&](const DriverApi& cu) {
    return cu.cuArray3DCreate_v2(reinterpret_cast<CUarray*>(out), &shape);
  });
}

cudaError_t cudaMallocArray(cudaArray_t* out,
                            const struct cudaChannelFormatDesc* desc,
                            size_t width, size_t height, unsigned flags) {
  return runtime::cudaMalloc3DArray(out, desc, {width, height, 0}, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return WithContext([&](const DriverApi& cu) {
    if (array == nullptr) return CUDA_SUCCESS;
    return cu.cuArrayDestroy(reinterpret_cast<CUarray>(array));
  });
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* out,
                                     const void* memory) {
  if (out == nullptr) return cudaErrorInvalidValue;
  unsigned type = 0;
  unsigned managed = 0;
  int device = 0;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* answers[] = {&type, &managed, &device};
  const cudaError_t result = WithContext([&](const DriverApi& cu) {
    return cu.cuPointerGetAttributes(3, asked, answers, Address(memory));
  });
  if (result != cudaSuccess) return result;
  *out = {};
  out->type = managed != 0                   ? cudaMemoryTypeManaged
              : type == CU_MEMORYTYPE_HOST   ? cudaMemoryTypeHost
              : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                                             : cudaMemoryTypeUnregistered;
  out->device = device;
  auto* address = const_cast<void*>(memory);
  if (out->type != cudaMemoryTypeUnregistered) out->devicePointer = address;
  if (out->type != cudaMemoryTypeDevice) out->hostPointer = address;
  return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuIpcGetMemHandle(reinterpret_cast<CUipcMemHandle*>(handle),
                                Address(memory));
  });
}

cudaError_t cudaIpcOpenMemHandle(void** out, cudaIpcMemHandle_t handle,
                                 unsigned flags) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuIpcOpenMemHandle_v2(
        DevicePtr(out), reinterpret_cast<CUipcMemHandle&>(handle), flags);
  });
}

cudaError_t cudaIpcCloseMemHandle(void* memory) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuIpcCloseMemHandle(Address(memory));
  });
}

}  // namespace simgpu::runtime
