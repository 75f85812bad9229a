#include "collector/memory_calls.h"

#include <cuda.h>
#include <cupti.h>

namespace inquest::collector {
namespace {

using trace::MemoryKind;
using trace::MemoryOp;

template <typename T>
uint64_t Bits(T* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}
uint64_t Bits(unsigned long long value) {
  return value;
}

// What an out-parameter points at, once the call has succeeded.
template <typename T>
uint64_t Out(const T* pointer, bool succeeded) {
  return succeeded && pointer != nullptr ? Bits(*pointer) : 0;
}

uint64_t ElementBytes(CUarray_format format) {
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

uint64_t AtLeastOne(size_t value) {
  return value == 0 ? 1 : value;
}

uint64_t ArrayBytes(const CUDA_ARRAY_DESCRIPTOR* array) {
  if (array == nullptr) return 0;
  return AtLeastOne(array->Width) * AtLeastOne(array->Height) *
         AtLeastOne(array->NumChannels) * ElementBytes(array->Format);
}

uint64_t ArrayBytes(const CUDA_ARRAY3D_DESCRIPTOR* array) {
  if (array == nullptr) return 0;
  return AtLeastOne(array->Width) * AtLeastOne(array->Height) *
         AtLeastOne(array->Depth) * AtLeastOne(array->NumChannels) *
         ElementBytes(array->Format);
}

bool Allocation(MemoryCall* call, MemoryKind kind, uint64_t address,
                uint64_t bytes) {
  call->op = MemoryOp::kAlloc;
  call->kind = kind;
  call->address = address;
  call->bytes = bytes;
  if (kind == MemoryKind::kHost) call->device = -1;
  return true;
}

// Nothing is recorded for a null pointer: freeing it does nothing.
bool GivesBack(MemoryCall* call, MemoryKind kind, uint64_t address,
               MemoryOp op = MemoryOp::kFree, uint64_t bytes = 0) {
  call->op = op;
  call->kind = kind;
  call->address = address;
  call->bytes = bytes;
  if (kind == MemoryKind::kHost) call->device = -1;
  return address != 0;
}

// The families by how the call looks; each case reads its own struct.
#define PARAMETERS(name) \
  const auto* p = static_cast<const name##_params*>(parameters)
#define CBID(name) case CUPTI_DRIVER_TRACE_CBID_##name

bool ReadAllocation(uint32_t cbid, const void* parameters, bool ok,
                    MemoryCall* call) {
  switch (cbid) {
    CBID(cuMemAlloc_v2) : {
      PARAMETERS(cuMemAlloc_v2);
      return Allocation(call, MemoryKind::kDevice, Out(p->dptr, ok),
                        p->bytesize);
    }
    CBID(cuMemAllocPitch_v2) : {
      PARAMETERS(cuMemAllocPitch_v2);
      const uint64_t width =
          ok && p->pPitch != nullptr ? *p->pPitch : p->WidthInBytes;
      return Allocation(call, MemoryKind::kDevice, Out(p->dptr, ok),
                        width * p->Height);
    }
    CBID(cuMemAllocManaged) : {
      PARAMETERS(cuMemAllocManaged);
      return Allocation(call, MemoryKind::kManaged, Out(p->dptr, ok),
                        p->bytesize);
    }
    CBID(cuMemAllocAsync) : CBID(cuMemAllocAsync_ptsz) : {
      PARAMETERS(cuMemAllocAsync);
      call->stream = Bits(p->hStream);
      return Allocation(call, MemoryKind::kAsync, Out(p->dptr, ok),
                        p->bytesize);
    }
    CBID(cuMemAllocFromPoolAsync) : CBID(cuMemAllocFromPoolAsync_ptsz) : {
      PARAMETERS(cuMemAllocFromPoolAsync);
      call->stream = Bits(p->hStream);
      call->pool = Bits(p->pool);
      return Allocation(call, MemoryKind::kAsync, Out(p->dptr, ok),
                        p->bytesize);
    }
    CBID(cuMemHostAlloc) : CBID(cuMemHostAlloc_v2) : {
      PARAMETERS(cuMemHostAlloc);
      return Allocation(call, MemoryKind::kHost, Out(p->pp, ok), p->bytesize);
    }
    CBID(cuMemAllocHost_v2) : {
      PARAMETERS(cuMemAllocHost_v2);
      return Allocation(call, MemoryKind::kHost, Out(p->pp, ok), p->bytesize);
    }
    CBID(cuMemCreate) : {
      PARAMETERS(cuMemCreate);
      if (p->prop != nullptr) {
        call->device = p->prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE
                           ? p->prop->location.id
                           : -1;
      }
      return Allocation(call, MemoryKind::kPhysical, Out(p->handle, ok),
                        p->size);
    }
    CBID(cuArrayCreate_v2) : {
      PARAMETERS(cuArrayCreate_v2);
      return Allocation(call, MemoryKind::kArray, Out(p->pHandle, ok),
                        ArrayBytes(p->pAllocateArray));
    }
    CBID(cuArray3DCreate_v2) : {
      PARAMETERS(cuArray3DCreate_v2);
      return Allocation(call, MemoryKind::kArray, Out(p->pHandle, ok),
                        ArrayBytes(p->pAllocateArray));
    }
    CBID(cuMipmappedArrayCreate) : {
      // The levels below the first add up to a third of it or less.
      PARAMETERS(cuMipmappedArrayCreate);
      const uint64_t first = ArrayBytes(p->pMipmappedArrayDesc);
      return Allocation(call, MemoryKind::kArray, Out(p->pHandle, ok),
                        p->numMipmapLevels > 1 ? first + first / 3 : first);
    }
    CBID(cuIpcOpenMemHandle) : CBID(cuIpcOpenMemHandle_v2) : {
      PARAMETERS(cuIpcOpenMemHandle_v2);
      return Allocation(call, MemoryKind::kIpc, Out(p->pdptr, ok), 0);
    }
    CBID(cuImportExternalMemory) : {
      PARAMETERS(cuImportExternalMemory);
      return Allocation(
          call, MemoryKind::kExternal, Out(p->extMem_out, ok),
          p->memHandleDesc != nullptr ? p->memHandleDesc->size : 0);
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
      return true;
    }
    CBID(cuMemHostRegister_v2) : {
      PARAMETERS(cuMemHostRegister_v2);
      Allocation(call, MemoryKind::kHost, Bits(p->p), p->bytesize);
      call->op = MemoryOp::kRegister;
      return true;
    }
    CBID(cuMemPoolTrimTo) : {
      PARAMETERS(cuMemPoolTrimTo);
      Allocation(call, MemoryKind::kAsync, 0, p->minBytesToKeep);
      call->op = MemoryOp::kTrim;
      call->pool = Bits(p->pool);
      return ok;
    }
    CBID(cuMemPoolDestroy) : {
      PARAMETERS(cuMemPoolDestroy);
      Allocation(call, MemoryKind::kAsync, 0, 0);
      call->op = MemoryOp::kTrim;
      call->pool = Bits(p->pool);
      return ok;
    }
    default:
      return false;
  }
}

bool ReadGivingBack(uint32_t cbid, const void* parameters, MemoryCall* call) {
  switch (cbid) {
    CBID(cuMemFree_v2) : {
      PARAMETERS(cuMemFree_v2);
      return GivesBack(call, MemoryKind::kDevice, p->dptr);
    }
    CBID(cuMemFreeAsync) : CBID(cuMemFreeAsync_ptsz) : {
      PARAMETERS(cuMemFreeAsync);
      call->stream = Bits(p->hStream);
      return GivesBack(call, MemoryKind::kAsync, p->dptr);
    }
    CBID(cuMemFreeHost) : {
      PARAMETERS(cuMemFreeHost);
      return GivesBack(call, MemoryKind::kHost, Bits(p->p));
    }
    CBID(cuMemRelease) : {
      PARAMETERS(cuMemRelease);
      return GivesBack(call, MemoryKind::kPhysical, p->handle);
    }
    CBID(cuArrayDestroy) : {
      PARAMETERS(cuArrayDestroy);
      return GivesBack(call, MemoryKind::kArray, Bits(p->hArray));
    }
    CBID(cuMipmappedArrayDestroy) : {
      PARAMETERS(cuMipmappedArrayDestroy);
      return GivesBack(call, MemoryKind::kArray, Bits(p->hMipmappedArray));
    }
    CBID(cuIpcCloseMemHandle) : {
      PARAMETERS(cuIpcCloseMemHandle);
      return GivesBack(call, MemoryKind::kIpc, p->dptr);
    }
    CBID(cuDestroyExternalMemory) : {
      PARAMETERS(cuDestroyExternalMemory);
      return GivesBack(call, MemoryKind::kExternal, Bits(p->extMem));
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
    CBID(cuMemHostUnregister) : {
      PARAMETERS(cuMemHostUnregister);
      return GivesBack(call, MemoryKind::kHost, Bits(p->p),
                       MemoryOp::kUnregister);
    }
    default:
      return false;
  }
}

#undef CBID
#define CBID(name) CUPTI_DRIVER_TRACE_CBID_##name

}  // namespace

bool ReadMemoryCall(uint32_t cbid, const void* parameters, bool exit,
                    bool succeeded, MemoryCall* call) {
  if (parameters == nullptr) return false;
  if (exit && ReadAllocation(cbid, parameters, succeeded, call)) return true;
  // At the end of a call that gave nothing back this takes back its record.
  if (exit && succeeded) return false;
  if (!ReadGivingBack(cbid, parameters, call)) return false;
  if (exit) call->op = MemoryOp::kFreeFailed;
  return true;
}

const uint32_t kMemoryCalls[] = {CBID(cuMemAlloc_v2),
                                 CBID(cuMemAllocPitch_v2),
                                 CBID(cuMemAllocManaged),
                                 CBID(cuMemAllocAsync),
                                 CBID(cuMemAllocAsync_ptsz),
                                 CBID(cuMemAllocFromPoolAsync),
                                 CBID(cuMemAllocFromPoolAsync_ptsz),
                                 CBID(cuMemHostAlloc),
                                 CBID(cuMemHostAlloc_v2),
                                 CBID(cuMemAllocHost_v2),
                                 CBID(cuMemCreate),
                                 CBID(cuArrayCreate_v2),
                                 CBID(cuArray3DCreate_v2),
                                 CBID(cuMipmappedArrayCreate),
                                 CBID(cuIpcOpenMemHandle),
                                 CBID(cuIpcOpenMemHandle_v2),
                                 CBID(cuImportExternalMemory),
                                 CBID(cuMemAddressReserve),
                                 CBID(cuMemMap),
                                 CBID(cuMemHostRegister_v2),
                                 CBID(cuMemPoolTrimTo),
                                 CBID(cuMemPoolDestroy),
                                 CBID(cuMemFree_v2),
                                 CBID(cuMemFreeAsync),
                                 CBID(cuMemFreeAsync_ptsz),
                                 CBID(cuMemFreeHost),
                                 CBID(cuMemRelease),
                                 CBID(cuArrayDestroy),
                                 CBID(cuMipmappedArrayDestroy),
                                 CBID(cuIpcCloseMemHandle),
                                 CBID(cuDestroyExternalMemory),
                                 CBID(cuMemUnmap),
                                 CBID(cuMemAddressFree),
                                 CBID(cuMemHostUnregister),
                                 0};

}  // namespace inquest::collector
