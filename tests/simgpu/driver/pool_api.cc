// SPDX-License-Identifier: Apache-2.0
// The pool functions of the driver, over the class in driver/pool.h. One mutex
// guards all pools: they need not be fast.
#include <array>
#include <atomic>
#include <mutex>
#include <set>

#include "core/event_log.h"
#include "driver/api.h"
#include "driver/objects.h"
#include "driver/pool.h"

namespace simgpu::driver {
namespace {

std::mutex g_pool_mutex;
std::array<CUmemoryPool, 8> g_default{};
std::array<CUmemoryPool, 8> g_current{};
std::atomic<bool> g_any{false};

std::set<CUmemoryPool>& Pools() {
  static auto* pools = new std::set<CUmemoryPool>;
  return *pools;
}

CUmemoryPool DefaultLocked(Device* device) {
  CUmemoryPool& pool = g_default[device->ordinal()];
  if (pool == nullptr) {
    pool = new CUmemPoolHandle_st(device, true);
    Pools().insert(pool);
    g_any = true;
  }
  return pool;
}

CUresult AllocateFrom(const char* operation, CUmemoryPool pool,
                      CUdeviceptr* out, size_t bytes) {
  const auto address = pool->Allocate(bytes);
  const CUresult result = address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  if (address) *out = *address;
  LogEvent(operation, address.value_or(0), bytes, result);
  return result;
}

bool Known(CUmemoryPool pool) {
  return Pools().count(pool) != 0;
}

void DropIfDone(CUmemoryPool pool) {
  if (!pool->doomed || pool->used != 0) return;
  pool->Trim(0);
  Pools().erase(pool);
  delete pool;
}

}  // namespace

CUmemoryPool DefaultPool(Device* device) {
  const std::lock_guard lock(g_pool_mutex);
  return DefaultLocked(device);
}

uint64_t FreePooled(uint64_t address) {
  if (!g_any.load(std::memory_order_relaxed)) return 0;
  const std::lock_guard lock(g_pool_mutex);
  for (CUmemoryPool pool : Pools()) {
    const uint64_t bytes = pool->Free(address);
    if (bytes == 0) continue;
    DropIfDone(pool);
    return bytes;
  }
  return 0;
}

void TrimPools(Device* device) {
  if (!g_any.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(g_pool_mutex);
  for (CUmemoryPool pool : Pools()) {
    if (pool->device == device) pool->Trim(pool->release_threshold);
  }
}

CUresult cuMemAllocAsync(CUdeviceptr* out, size_t bytes, CUstream stream) {
  if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  Device* device = Current()->device;
  const std::lock_guard lock(g_pool_mutex);
  CUmemoryPool pool = g_current[device->ordinal()];
  if (pool == nullptr) pool = DefaultLocked(device);
  return AllocateFrom("cuMemAllocAsync", pool, out, bytes);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t bytes,
                                 CUmemoryPool pool, CUstream stream) {
  if (out == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(g_pool_mutex);
  if (!Known(pool)) return CUDA_ERROR_INVALID_VALUE;
  return AllocateFrom("cuMemAllocFromPoolAsync", pool, out, bytes);
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  if (!IsStream(stream)) return CUDA_ERROR_INVALID_HANDLE;
  uint64_t bytes = FreePooled(address);
  Device* device = DeviceOf(address);
  if (bytes == 0 && device != nullptr) {
    const auto block = device->Free(address);
    bytes = block ? block->size : 0;
  }
  const CUresult result = bytes == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  LogEvent("cuMemFreeAsync", address, bytes, result);
  return result;
}

CUresult cuMemPoolCreate(CUmemoryPool* out, const CUmemPoolProps* props) {
  if (out == nullptr || props == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const int ordinal = props->location.id;
  if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (ordinal < 0 || ordinal >= static_cast<int>(Devices().size())) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::lock_guard lock(g_pool_mutex);
  *out = new CUmemPoolHandle_st(Devices()[ordinal].get(), false);
  Pools().insert(*out);
  g_any = true;
  return CUDA_SUCCESS;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  const std::lock_guard lock(g_pool_mutex);
  if (!Known(pool) || pool->is_default) return CUDA_ERROR_INVALID_VALUE;
  pool->doomed = true;
  for (CUmemoryPool& current : g_current) {
    if (current == pool) current = nullptr;
  }
  DropIfDone(pool);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  const std::lock_guard lock(g_pool_mutex);
  if (!Known(pool)) return CUDA_ERROR_INVALID_VALUE;
  pool->Trim(keep);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* out, CUdevice dev) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (dev < 0 || dev >= static_cast<int>(Devices().size())) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *out = DefaultPool(Devices()[dev].get());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool* out, CUdevice dev) {
  const CUresult result = driver::cuDeviceGetDefaultMemPool(out, dev);
  if (result == CUDA_SUCCESS && g_current[dev] != nullptr) {
    *out = g_current[dev];
  }
  return result;
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
  if (dev < 0 || dev >= static_cast<int>(Devices().size())) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  const std::lock_guard lock(g_pool_mutex);
  if (!Known(pool)) return CUDA_ERROR_INVALID_VALUE;
  g_current[dev] = pool;
  return CUDA_SUCCESS;
}

namespace {

bool IsSize(CUmemPool_attribute attribute) {
  return attribute >= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD &&
         attribute <= CU_MEMPOOL_ATTR_USED_MEM_HIGH;
}

uint64_t* SizeOf(CUmemoryPool pool, CUmemPool_attribute attribute) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      return &pool->release_threshold;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return &pool->reserved;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return &pool->reserved_high;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      return &pool->used;
    default:
      return &pool->used_high;
  }
}

}  // namespace

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void* value) {
  const std::lock_guard lock(g_pool_mutex);
  if (!Known(pool) || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (IsSize(attribute)) {
    *static_cast<cuuint64_t*>(value) = *SizeOf(pool, attribute);
  } else {
    const auto found = pool->flags.find(attribute);
    *static_cast<int*>(value) = found == pool->flags.end() ? 1 : found->second;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void* value) {
  const std::lock_guard lock(g_pool_mutex);
  if (!Known(pool) || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) {
    pool->release_threshold = *static_cast<cuuint64_t*>(value);
  } else if (IsSize(attribute)) {  // the high marks can be reset
    *SizeOf(pool, attribute) = attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH
                                   ? pool->used
                                   : pool->reserved;
  } else {
    pool->flags[attribute] = *static_cast<int*>(value);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc*, size_t) {
  const std::lock_guard lock(g_pool_mutex);
  return Known(pool) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace simgpu::driver
