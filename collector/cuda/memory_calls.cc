// SPDX-License-Identifier: Apache-2.0
#include "collector/cuda/memory_calls.h"

#include "collector/cuda/memory_calls_read.h"

namespace inquest::collector {
namespace {

using trace::MemoryKind;
using trace::MemoryOp;

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

// Long because each function of the driver has a case.
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
      // The levels below the first take a third of it or less.
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
    CBID(cuExternalMemoryGetMappedBuffer) : {
      PARAMETERS(cuExternalMemoryGetMappedBuffer);
      return Allocation(call, MemoryKind::kExternal, Out(p->devPtr, ok),
                        p->bufferDesc != nullptr ? p->bufferDesc->size : 0);
    }
    CBID(cuMemHostRegister_v2) : {
      PARAMETERS(cuMemHostRegister_v2);
      Allocation(call, MemoryKind::kHost, Bits(p->p), p->bytesize);
      call->op = MemoryOp::kRegister;
      return true;
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
    CBID(cuMemHostUnregister) : {
      PARAMETERS(cuMemHostUnregister);
      return GivesBack(call, MemoryKind::kHost, Bits(p->p),
                       MemoryOp::kUnregister);
    }
    default:
      return false;
  }
}

}  // namespace

bool ReadMemoryCall(uint32_t cbid, const void* parameters, bool exit,
                    bool succeeded, MemoryCall* call) {
  if (parameters == nullptr) return false;
  if (exit && (ReadAllocation(cbid, parameters, succeeded, call) ||
               ReadVirtualMemory(cbid, parameters, succeeded, call) ||
               ReadPool(cbid, parameters, succeeded, call))) {
    return true;
  }
  // At the end of a failed free, this record undoes the one at its beginning.
  if (exit && succeeded) return false;
  if (!ReadGivingBack(cbid, parameters, call) &&
      !ReadVirtualGivingBack(cbid, parameters, call)) {
    return false;
  }
  if (exit) call->op = MemoryOp::kFreeFailed;
  return true;
}

}  // namespace inquest::collector
