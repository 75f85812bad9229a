// SPDX-License-Identifier: Apache-2.0
// Device memory by address: cuMemAlloc and its pitched form, cuMemFree, and the
// queries of free memory and of pointers.
#include "core/event_log.h"
#include "driver/address.h"
#include "driver/api.h"
#include "driver/host_memory.h"
#include "driver/objects.h"
#include "driver/pool.h"

namespace simgpu::driver {
namespace {

constexpr size_t kPitchAlignment = 512;

CUresult Allocate(const char* operation, CUdeviceptr* out, size_t bytes) {
  if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  CUcontext context = Current();
  const auto address = context->device->Allocate(bytes, context->uid);
  const CUresult result = address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  if (address) *out = *address;
  LogEvent(operation, address.value_or(0), bytes, result);
  return result;
}

}  // namespace

CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t bytes) {
  return Allocate("cuMemAlloc_v2", out, bytes);
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* out, size_t* pitch, size_t width,
                            size_t height, unsigned element) {
  if (pitch == nullptr || width == 0 || height == 0 ||
      (element != 4 && element != 8 && element != 16)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const size_t row =
      (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  const CUresult result = Allocate("cuMemAllocPitch_v2", out, row * height);
  if (result == CUDA_SUCCESS) *pitch = row;
  return result;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  if (address == 0) return CUDA_SUCCESS;
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  uint64_t bytes = 0;
  if (Device* device = DeviceOf(address)) {
    bytes = FreePooled(address);
    if (bytes == 0) {
      const auto block = device->Free(address);
      bytes = block ? block->size : 0;
    }
    if (bytes != 0) result = CUDA_SUCCESS;
  } else {
    result = FreeManaged(address);
  }
  LogEvent("cuMemFree_v2", address, bytes, result);
  return result;
}

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  if (free == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *free = Current()->device->free_bytes();
  *total = Current()->device->total();
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size,
                                 CUdeviceptr address) {
  const Place place = Locate(address);
  if (place.kind == Kind::kUnknown) return CUDA_ERROR_NOT_FOUND;
  if (base != nullptr) *base = place.range.address;
  if (size != nullptr) *size = place.range.size;
  return CUDA_SUCCESS;
}

namespace {

CUmemorytype TypeOf(Kind kind) {
  return kind == Kind::kHost || kind == Kind::kRegistered
             ? CU_MEMORYTYPE_HOST
             : CU_MEMORYTYPE_DEVICE;
}

template <class Value>
CUresult Give(void* out, Value value) {
  *static_cast<Value*>(out) = value;
  return CUDA_SUCCESS;
}

CUresult PointerAttribute(void* out, CUpointer_attribute attribute,
                          const Place& place, CUdeviceptr address) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return Give(out, Current());
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return Give(out, static_cast<unsigned>(TypeOf(place.kind)));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return Give(out, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!OnHost(place.kind)) return CUDA_ERROR_INVALID_VALUE;
      return Give(out, reinterpret_cast<void*>(address));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return Give(out, static_cast<unsigned>(place.kind == Kind::kManaged));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return Give(out, place.device ? place.device->ordinal() : 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return Give(out, place.range.address);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return Give(out, static_cast<size_t>(place.range.size));
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return Give(out, static_cast<unsigned>(1));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return Give(out, static_cast<unsigned long long>(place.range.address));
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

CUresult cuPointerGetAttribute(void* out, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Place place = Locate(address);
  if (place.kind == Kind::kUnknown) return CUDA_ERROR_INVALID_VALUE;
  return PointerAttribute(out, attribute, place, address);
}

// Unlike in the single form, an unknown pointer is not an error: all attributes
// are zero.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes,
                                void** data, CUdeviceptr address) {
  if (attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Place place = Locate(address);
  for (unsigned i = 0; i < count; ++i) {
    if (place.kind != Kind::kUnknown) {
      PointerAttribute(data[i], attributes[i], place, address);
    } else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
      Give(data[i], -2);
    } else if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
               attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED) {
      Give(data[i], 0u);
    } else {
      Give(data[i], nullptr);
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace simgpu::driver
