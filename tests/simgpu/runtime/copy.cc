// SPDX-License-Identifier: Apache-2.0
// Copies and fills. A two-dimensional copy is a copy of each row.
#include <cstring>

#include "runtime/api.h"

namespace simgpu::runtime {
namespace {

CUresult Copy(const DriverApi& cu, void* to, const void* from, size_t bytes,
              enum cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return cu.cuMemcpyHtoD_v2(Address(to), from, bytes);
    case cudaMemcpyDeviceToHost:
      return cu.cuMemcpyDtoH_v2(to, Address(from), bytes);
    case cudaMemcpyDeviceToDevice:
      return cu.cuMemcpyDtoD_v2(Address(to), Address(from), bytes);
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return cu.cuMemcpy(Address(to), Address(from), bytes);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult CopyAsync(const DriverApi& cu, void* to, const void* from,
                   size_t bytes, enum cudaMemcpyKind kind,
                   cudaStream_t stream) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return cu.cuMemcpyHtoDAsync_v2(Address(to), from, bytes, stream);
    case cudaMemcpyDeviceToHost:
      return cu.cuMemcpyDtoHAsync_v2(to, Address(from), bytes, stream);
    case cudaMemcpyDeviceToDevice:
      return cu.cuMemcpyDtoDAsync_v2(Address(to), Address(from), bytes, stream);
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return cu.cuMemcpyAsync(Address(to), Address(from), bytes, stream);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

// Real libraries check the direction first.
bool IsDirection(enum cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

template <class Row>
CUresult EachRow(size_t height, Row row) {
  for (size_t y = 0; y < height; ++y) {
    const CUresult result = row(y);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes,
                       enum cudaMemcpyKind kind) {
  if (!IsDirection(kind)) return cudaErrorInvalidMemcpyDirection;
  return WithContext(
      [&](const DriverApi& cu) { return Copy(cu, to, from, bytes, kind); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream) {
  if (!IsDirection(kind)) return cudaErrorInvalidMemcpyDirection;
  return WithContext([&](const DriverApi& cu) {
    return CopyAsync(cu, to, from, bytes, kind, stream);
  });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from,
                         size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
  if (!IsDirection(kind)) return cudaErrorInvalidMemcpyDirection;
  if (to_pitch < width || from_pitch < width) return cudaErrorInvalidPitchValue;
  return WithContext([&](const DriverApi& cu) {
    return EachRow(height, [&](size_t y) {
      return Copy(cu, static_cast<char*>(to) + y * to_pitch,
                  static_cast<const char*>(from) + y * from_pitch, width, kind);
    });
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t) {
  return runtime::cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height,
                               kind);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemsetD8_v2(Address(to), static_cast<unsigned char>(value),
                            bytes);
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes,
                            cudaStream_t stream) {
  return WithContext([&](const DriverApi& cu) {
    return cu.cuMemsetD8Async(Address(to), static_cast<unsigned char>(value),
                              bytes, stream);
  });
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width,
                         size_t height) {
  return WithContext([&](const DriverApi& cu) {
    return EachRow(height, [&](size_t y) {
      return cu.cuMemsetD8_v2(Address(to) + y * pitch,
                              static_cast<unsigned char>(value), width);
    });
  });
}

}  // namespace simgpu::runtime
