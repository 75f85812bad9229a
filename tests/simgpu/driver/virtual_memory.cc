// SPDX-License-Identifier: Apache-2.0
// The virtual memory management calls: physical memory in pages, wherever they
// are free, and separate address ranges. A kernel may access a mapped range;
// its contents are not kept.
#include <sys/mman.h>

#include <map>
#include <mutex>

#include "core/event_log.h"
#include "driver/address.h"
#include "driver/objects.h"

namespace simgpu::driver {
namespace {

struct Physical {
  Device* device = nullptr;
  uint64_t bytes = 0;
  int references = 1;  // the handle itself and each mapping
  std::vector<Range> pieces;
};

std::mutex g_virtual_mutex;
uint64_t g_next_handle = 1;

struct Books {
  std::map<uint64_t, Physical> handles;
  std::map<uint64_t, uint64_t> reserved;  // address → size
  std::map<uint64_t, uint64_t> mapped;    // address → handle
};

Books& All() {
  static auto* books = new Books;
  return *books;
}

bool IsPaged(uint64_t bytes) {
  return bytes != 0 && bytes % kPage == 0;
}

void DropReference(uint64_t handle) {
  const auto found = All().handles.find(handle);
  if (--found->second.references > 0) return;
  found->second.device->ReturnPages(found->second.pieces);
  All().handles.erase(found);
}

bool IsReserved(uint64_t address, uint64_t bytes) {
  auto found = All().reserved.upper_bound(address);
  if (found == All().reserved.begin()) return false;
  --found;
  return address + bytes <= found->first + found->second;
}

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* out, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = kPage;
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* out, size_t bytes,
                     const CUmemAllocationProp* prop,
                     unsigned long long flags) {
  if (out == nullptr || prop == nullptr || flags != 0 || !IsPaged(bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const int ordinal = prop->location.id;
  if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (ordinal < 0 || ordinal >= static_cast<int>(Devices().size())) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  Device* device = Devices()[ordinal].get();
  auto pieces = device->TakePages(bytes);
  const CUresult result = pieces ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  const std::lock_guard lock(g_virtual_mutex);
  const uint64_t handle = pieces ? g_next_handle++ : 0;
  LogEvent("cuMemCreate", handle, bytes, result);
  if (!pieces) return result;
  All().handles[handle] = {device, bytes, 1, std::move(*pieces)};
  *out = handle;
  return result;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  const std::lock_guard lock(g_virtual_mutex);
  const auto found = All().handles.find(handle);
  if (found == All().handles.end()) return CUDA_ERROR_INVALID_VALUE;
  LogEvent("cuMemRelease", handle, found->second.bytes, CUDA_SUCCESS);
  DropReference(handle);
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* out, size_t bytes, size_t alignment,
                             CUdeviceptr, unsigned long long flags) {
  if (out == nullptr || flags != 0 || !IsPaged(bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const uint64_t step = alignment > kPage ? alignment : kPage;
  void* got = mmap(nullptr, bytes + step, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = (reinterpret_cast<uint64_t>(got) + step - 1) / step * step;
  const std::lock_guard lock(g_virtual_mutex);
  All().reserved[*out] = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  const std::lock_guard lock(g_virtual_mutex);
  const auto found = All().reserved.find(address);
  if (found == All().reserved.end() || found->second != bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  munmap(reinterpret_cast<void*>(address), bytes);
  All().reserved.erase(found);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  const std::lock_guard lock(g_virtual_mutex);
  const auto found = All().handles.find(handle);
  if (found == All().handles.end() || flags != 0 || !IsPaged(bytes) ||
      offset + bytes > found->second.bytes || !IsReserved(address, bytes) ||
      All().mapped.count(address) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  ++found->second.references;
  All().mapped[address] = handle;
  AddPlace({Kind::kMapped, {address, bytes}, found->second.device, 0});
  LogEvent("cuMemMap", address, bytes, CUDA_SUCCESS);
  return CUDA_SUCCESS;
}

// As the driver requires, a range is unmapped in the pieces it was mapped in.
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  const std::lock_guard lock(g_virtual_mutex);
  auto at = All().mapped.find(address);
  if (at == All().mapped.end()) return CUDA_ERROR_INVALID_VALUE;
  while (at != All().mapped.end() && at->first < address + bytes) {
    const auto place = RemovePlace(at->first, Kind::kMapped);
    LogEvent("cuMemUnmap", at->first, place->range.size, CUDA_SUCCESS);
    DropReference(at->second);
    at = All().mapped.erase(at);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* out,
                                     void* address) {
  const std::lock_guard lock(g_virtual_mutex);
  const auto at = All().mapped.find(reinterpret_cast<uint64_t>(address));
  if (out == nullptr || at == All().mapped.end()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  ++All().handles.find(at->second)->second.references;
  *out = at->second;
  return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes,
                        const CUmemAccessDesc* desc, size_t count) {
  const std::lock_guard lock(g_virtual_mutex);
  const bool known = desc != nullptr && count > 0 && IsPaged(bytes) &&
                     Locate(address).kind == Kind::kMapped;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace simgpu::driver
