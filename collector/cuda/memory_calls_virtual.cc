// SPDX-License-Identifier: Apache-2.0
// Virtual memory and pools; see memory_calls.h.
#include "collector/cuda/memory_calls_read.h"

namespace inquest::collector {
namespace {

int DeviceOf(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : -1;
}

bool WholePool(MemoryCall* call, MemoryOp op, CUmemoryPool pool,
               uint64_t bytes) {
  Allocation(call, MemoryKind::kAsync, 0, bytes);
  call->op = op;
  call->pool = Bits(pool);
  return true;
}

}  // namespace

bool ReadVirtualMemory(uint32_t cbid, const void* parameters, bool ok,
                       MemoryCall* call) {
  switch (cbid) {
    CBID(cuMemCreate) : {
      PARAMETERS(cuMemCreate);
      if (p->prop != nullptr) {
        call->device = DeviceOf(p->prop->location);
      }
      return Allocation(call, MemoryKind::kPhysical, Out(p->handle, ok),
                        p->size);
    }
    CBID(cuMemImportFromShareableHandle) : {
      PARAMETERS(cuMemImportFromShareableHandle);
      return Allocation(call, MemoryKind::kIpc, Out(p->handle, ok), 0);
    }
    CBID(cuMemRetainAllocationHandle) : {
      PARAMETERS(cuMemRetainAllocationHandle);
      Allocation(call, MemoryKind::kPhysical, Out(p->handle, ok), 0);
      call->op = MemoryOp::kRetain;
      return ok;
    }
    CBID(cuMemAddressReserve) : {
      PARAMETERS(cuMemAddressReserve);
      Allocation(call, MemoryKind::kPhysical, Out(p->ptr, ok), p->size);
      call->op = MemoryOp::kReserve;
      return true;
    }
    CBID(cuMemMap) : {
      PARAMETERS(cuMemMap);
      Allocation(call, MemoryKind::kPhysical, p->ptr, p->size);
      call->op = MemoryOp::kMap;
      call->pool = p->handle;
      return true;
    }
    CBID(cuMemSetAccess) : {
      PARAMETERS(cuMemSetAccess);
      Allocation(call, MemoryKind::kPhysical, p->ptr, p->size);
      call->op = MemoryOp::kAccess;
      if (p->desc != nullptr && p->count > 0) {
        call->device = DeviceOf(p->desc->location);
      }
      return true;
    }
    default:
      return false;
  }
}

bool ReadVirtualGivingBack(uint32_t cbid, const void* parameters,
                           MemoryCall* call) {
  switch (cbid) {
    CBID(cuMemRelease) : {
      PARAMETERS(cuMemRelease);
      return GivesBack(call, MemoryKind::kPhysical, p->handle);
    }
    CBID(cuMemUnmap) : {
      PARAMETERS(cuMemUnmap);
      return GivesBack(call, MemoryKind::kPhysical, p->ptr, MemoryOp::kUnmap,
                       p->size);
    }
    CBID(cuMemAddressFree) : {
      PARAMETERS(cuMemAddressFree);
      return GivesBack(call, MemoryKind::kPhysical, p->ptr,
                       MemoryOp::kUnreserve, p->size);
    }
    default:
      return false;
  }
}

bool ReadPool(uint32_t cbid, const void* parameters, bool ok,
              MemoryCall* call) {
  switch (cbid) {
    CBID(cuMemPoolCreate) : {
      PARAMETERS(cuMemPoolCreate);
      if (!ok || p->pool == nullptr || p->poolProps == nullptr) return false;
      WholePool(call, MemoryOp::kPoolCreate, *p->pool, p->poolProps->maxSize);
      call->device = DeviceOf(p->poolProps->location);
      return true;
    }
    CBID(cuMemPoolImportFromShareableHandle) : {
      PARAMETERS(cuMemPoolImportFromShareableHandle);
      if (!ok || p->pool_out == nullptr) return false;
      WholePool(call, MemoryOp::kPoolCreate, *p->pool_out, 0);
      call->kind = MemoryKind::kIpc;
      return true;
    }
    CBID(cuMemPoolImportPointer) : {
      PARAMETERS(cuMemPoolImportPointer);
      call->pool = Bits(p->pool);
      return Allocation(call, MemoryKind::kIpc, Out(p->ptr_out, ok), 0);
    }
    CBID(cuMemPoolSetAttribute) : {
      PARAMETERS(cuMemPoolSetAttribute);
      if (p->attr != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD || p->value == nullptr) {
        return false;
      }
      WholePool(call, MemoryOp::kPoolThreshold, p->pool,
                *static_cast<const cuuint64_t*>(p->value));
      return ok;
    }
    CBID(cuMemPoolTrimTo) : {
      PARAMETERS(cuMemPoolTrimTo);
      WholePool(call, MemoryOp::kTrim, p->pool, p->minBytesToKeep);
      return ok;
    }
    CBID(cuMemPoolDestroy) : {
      PARAMETERS(cuMemPoolDestroy);
      WholePool(call, MemoryOp::kTrim, p->pool, 0);
      return ok;
    }
    default:
      return false;
  }
}

}  // namespace inquest::collector
