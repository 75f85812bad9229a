// SPDX-License-Identifier: Apache-2.0
#include "driver/host_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "core/event_log.h"
#include "driver/address.h"
#include "driver/objects.h"

namespace simgpu::driver {
namespace {

uint64_t PageRound(uint64_t bytes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

CUresult AllocateHost(const char* operation, Kind kind, size_t bytes,
                      unsigned flags, Device* device, void** out) {
  if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > (size_t{1} << 46)) return CUDA_ERROR_OUT_OF_MEMORY;
  void* memory = mmap(nullptr, PageRound(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool failed = memory == MAP_FAILED;
  const auto address = reinterpret_cast<uint64_t>(failed ? nullptr : memory);
  const CUresult result = failed ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  LogEvent(operation, address, bytes, result);
  if (failed) return result;
  AddPlace({kind, {address, bytes}, device, flags});
  *out = memory;
  return result;
}

CUresult FreeHostOf(const char* operation, Kind kind, uint64_t address) {
  const auto place = RemovePlace(address, kind);
  if (!place) return CUDA_ERROR_INVALID_VALUE;
  munmap(reinterpret_cast<void*>(address), PageRound(place->range.size));
  LogEvent(operation, address, place->range.size, CUDA_SUCCESS);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  return AllocateHost("cuMemHostAlloc", Kind::kHost, bytes, flags, nullptr,
                      out);
}

CUresult cuMemAllocHost_v2(void** out, size_t bytes) {
  return AllocateHost("cuMemAllocHost_v2", Kind::kHost, bytes, 0, nullptr, out);
}

CUresult cuMemFreeHost(void* memory) {
  return FreeHostOf("cuMemFreeHost", Kind::kHost,
                    reinterpret_cast<uint64_t>(memory));
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* memory,
                                      unsigned) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  const Kind kind = Locate(address).kind;
  if (out == nullptr || (kind != Kind::kHost && kind != Kind::kRegistered)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *out = address;
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned* flags, void* memory) {
  const Place place = Locate(reinterpret_cast<uint64_t>(memory));
  if (flags == nullptr || place.kind != Kind::kHost) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *flags = place.flags;
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void* memory, size_t bytes, unsigned flags) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  if (memory == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (Locate(address).kind != Kind::kUnknown) {
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  }
  AddPlace({Kind::kRegistered, {address, bytes}, nullptr, flags});
  LogEvent("cuMemHostRegister_v2", address, bytes, CUDA_SUCCESS);
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void* memory) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  const auto place = RemovePlace(address, Kind::kRegistered);
  if (!place) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  LogEvent("cuMemHostUnregister", address, place->range.size, CUDA_SUCCESS);
  return CUDA_SUCCESS;
}

// Managed memory lives on the host; it is not counted as device memory, which
// a real driver also charges only page by page when a kernel touches it.
CUresult cuMemAllocManaged(CUdeviceptr* out, size_t bytes, unsigned flags) {
  if (out == nullptr ||
      (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  void* memory = nullptr;
  const CUresult result =
      AllocateHost("cuMemAllocManaged", Kind::kManaged, bytes, flags,
                   Current()->device, &memory);
  if (result == CUDA_SUCCESS) *out = reinterpret_cast<uint64_t>(memory);
  return result;
}

CUresult FreeManaged(uint64_t address) {
  const auto place = RemovePlace(address, Kind::kManaged);
  if (!place) return CUDA_ERROR_INVALID_VALUE;
  munmap(reinterpret_cast<void*>(address), PageRound(place->range.size));
  return CUDA_SUCCESS;
}

}  // namespace simgpu::driver
