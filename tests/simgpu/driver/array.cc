// SPDX-License-Identifier: Apache-2.0
// CUDA arrays and mipmapped arrays: opaque textures that take device memory.
#include <cuda.h>

#include "core/event_log.h"
#include "driver/objects.h"

struct CUarray_st {
  static constexpr uint32_t kMagic = 0x41525231;
  uint32_t magic = kMagic;
  simgpu::Device* device = nullptr;
  uint64_t memory = 0;
  uint64_t bytes = 0;
  CUDA_ARRAY3D_DESCRIPTOR shape = {};
};

struct CUmipmappedArray_st {
  static constexpr uint32_t kMagic = 0x4d495031;
  uint32_t magic = kMagic;
  CUarray_st storage;
};

namespace simgpu::driver {
namespace {

uint64_t FormatBytes(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    default:
      return 4;
  }
}

uint64_t AtLeastOne(uint64_t n) {
  return n == 0 ? 1 : n;
}

uint64_t BytesOf(const CUDA_ARRAY3D_DESCRIPTOR& shape, unsigned levels) {
  uint64_t sum = 0;
  for (unsigned level = 0; level < levels; ++level) {
    sum += AtLeastOne(shape.Width >> level) *
           AtLeastOne(shape.Height >> level) * AtLeastOne(shape.Depth >> level);
  }
  return sum * FormatBytes(shape.Format) * shape.NumChannels;
}

CUresult Fill(const char* operation, const CUDA_ARRAY3D_DESCRIPTOR* shape,
              unsigned levels, CUarray_st* array) {
  if (shape == nullptr || shape->Width == 0 ||
      (shape->NumChannels != 1 && shape->NumChannels != 2 &&
       shape->NumChannels != 4)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  array->device = Current()->device;
  array->shape = *shape;
  array->bytes = BytesOf(*shape, levels);
  const auto address = array->device->Allocate(array->bytes, Current()->uid);
  const CUresult result = address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  array->memory = address.value_or(0);
  LogEvent(operation, array->memory, array->bytes, result);
  return result;
}

template <class Object>
CUresult Make(const char* operation, const CUDA_ARRAY3D_DESCRIPTOR* shape,
              unsigned levels, Object** out, CUarray_st* (*storage)(Object*)) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto* made = new Object;
  const CUresult result = Fill(operation, shape, levels, storage(made));
  if (result == CUDA_SUCCESS) {
    *out = made;
  } else {
    delete made;
  }
  return result;
}

CUarray_st* Itself(CUarray_st* array) {
  return array;
}
CUarray_st* Storage(CUmipmappedArray_st* array) {
  return &array->storage;
}

void Drop(const char* operation, CUarray_st* array) {
  array->device->Free(array->memory);
  LogEvent(operation, array->memory, array->bytes, CUDA_SUCCESS);
}

}  // namespace

CUresult cuArray3DCreate_v2(CUarray* out,
                            const CUDA_ARRAY3D_DESCRIPTOR* shape) {
  return Make<CUarray_st>("cuArray3DCreate_v2", shape, 1, out, Itself);
}

CUresult cuArrayCreate_v2(CUarray* out, const CUDA_ARRAY_DESCRIPTOR* flat) {
  if (flat == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_ARRAY3D_DESCRIPTOR shape = {};
  shape.Width = flat->Width;
  shape.Height = flat->Height;
  shape.Format = flat->Format;
  shape.NumChannels = flat->NumChannels;
  return Make<CUarray_st>("cuArrayCreate_v2", &shape, 1, out, Itself);
}

CUresult cuArrayDestroy(CUarray array) {
  if (!IsLive(array)) return CUDA_ERROR_INVALID_HANDLE;
  Drop("cuArrayDestroy", array);
  array->magic = kDead;
  delete array;
  return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* out,
                                   CUarray array) {
  if (!IsLive(array)) return CUDA_ERROR_INVALID_HANDLE;
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = array->shape;
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* out,
                                const CUDA_ARRAY3D_DESCRIPTOR* shape,
                                unsigned levels) {
  if (levels == 0 || levels > 32) return CUDA_ERROR_INVALID_VALUE;
  return Make<CUmipmappedArray_st>("cuMipmappedArrayCreate", shape, levels, out,
                                   Storage);
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  if (!IsLive(array)) return CUDA_ERROR_INVALID_HANDLE;
  Drop("cuMipmappedArrayDestroy", &array->storage);
  array->magic = kDead;
  delete array;
  return CUDA_SUCCESS;
}

}  // namespace simgpu::driver
