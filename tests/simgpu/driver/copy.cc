// SPDX-License-Identifier: Apache-2.0
// Copies and fills. All happen at once on the calling thread; the asynchronous
// forms differ only in that they take a stream.
#include <cstring>

#include "driver/address.h"
#include "driver/objects.h"

namespace simgpu::driver {
namespace {

bool Fits(const Place& place, uint64_t address, size_t bytes) {
  return place.kind == Kind::kUnknown || bytes <= place.range.end() - address;
}

// Copies between any two places. A device address that is not live, or a
// range that runs over its block's end, is an invalid value, as on a device.
CUresult Copy(uint64_t to, uint64_t from, size_t bytes) {
  if (bytes == 0) return CUDA_SUCCESS;
  if (to == 0 || from == 0) return CUDA_ERROR_INVALID_VALUE;
  const Place target = Locate(to);
  const Place source = Locate(from);
  const bool lost_target = target.kind == Kind::kUnknown && DeviceOf(to);
  const bool lost_source = source.kind == Kind::kUnknown && DeviceOf(from);
  if (lost_target || lost_source || !Fits(target, to, bytes) ||
      !Fits(source, from, bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const bool to_host = OnHost(target.kind);
  const bool from_host = OnHost(source.kind);
  auto* to_memory = reinterpret_cast<void*>(to);
  const auto* from_memory = reinterpret_cast<const void*>(from);
  if (to_host && from_host) {
    std::memmove(to_memory, from_memory, bytes);
  } else if (to_host && source.kind == Kind::kDevice) {
    source.device->Read(from, to_memory, bytes);
  } else if (from_host && target.kind == Kind::kDevice) {
    target.device->Write(to, from_memory, bytes);
  } else if (target.kind == Kind::kDevice && target.device == source.device &&
             source.kind == Kind::kDevice) {
    target.device->Copy(to, from, bytes);
  }
  return CUDA_SUCCESS;  // mapped ranges keep no contents
}

uint64_t Address(const void* memory) {
  return reinterpret_cast<uint64_t>(memory);
}

// The device side of a HtoD or DtoH copy must be memory that a kernel can
// access.
CUresult CopyIn(CUdeviceptr to, const void* from, size_t bytes) {
  if (bytes != 0 && !OnDevice(Locate(to).kind)) return CUDA_ERROR_INVALID_VALUE;
  return Copy(to, Address(from), bytes);
}

CUresult CopyOut(void* to, CUdeviceptr from, size_t bytes) {
  if (bytes != 0 && !OnDevice(Locate(from).kind)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return Copy(Address(to), from, bytes);
}

CUresult Fill(CUdeviceptr to, unsigned value, size_t width, size_t count) {
  if (count == 0) return CUDA_SUCCESS;
  const Place place = Locate(to);
  if (place.kind == Kind::kUnknown || !Fits(place, to, width * count)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (place.kind == Kind::kDevice) {
    place.device->Fill(to, value, width, count);
  } else if (OnHost(place.kind)) {
    auto* bytes = reinterpret_cast<char*>(to);
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(bytes + i * width, &value, width);
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return Copy(to, from, bytes);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return Copy(to, from, bytes);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return CopyIn(to, from, bytes);
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return CopyOut(to, from, bytes);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return Copy(to, from, bytes);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes,
                              CUstream stream) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return CopyIn(to, from, bytes);
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return CopyOut(to, from, bytes);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return Copy(to, from, bytes);
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return Fill(to, value, 1, count);
}

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return Fill(to, value, 2, count);
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return Fill(to, value, 4, count);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return Fill(to, value, 1, count);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return Fill(to, value, 2, count);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return Fill(to, value, 4, count);
}

}  // namespace simgpu::driver
