// SPDX-License-Identifier: Apache-2.0
// Lookup of functions by name: cuGetProcAddress, and the private table through
// which the other stand-ins reach this one. Also the names of the errors.
#include <cstring>

#include "core/config.h"
#include "core/error_text.h"
#include "driver/api.h"
#include "driver/export_list.h"
#include "driver/objects.h"

#undef cuGetProcAddress  // the header maps it to the newest form

namespace simgpu::driver {
namespace {

uint32_t ContextUid(CUcontext context) {
  return IsLive(context) ? context->uid : 0;
}

CUdevice ContextDevice(CUcontext context) {
  return IsLive(context) ? context->device->ordinal() : -1;
}

uint32_t StreamIdIn(CUcontext, CUstream stream) {
  return StreamId(stream);
}

uint64_t UsedBytes(int device) {
  return Initialised() ? Devices()[device]->used_bytes() : 0;
}

uint64_t FreeBytes(int device) {
  return Devices()[device]->free_bytes();
}

void SetError(CUresult error) {
  if (CUcontext context = Current()) context->error.store(error);
}

// The newest form of `symbol` that a program of `version` knows.
const ExportedFunction* FindFunction(const char* symbol, int version,
                                     bool per_thread) {
  const ExportedFunction* best = nullptr;
  for (const ExportedFunction& function : ExportList()) {
    if (std::strcmp(function.base, symbol) != 0) continue;
    if (function.since > version) continue;
    if (function.per_thread && !per_thread) continue;
    if (best == nullptr || function.since > best->since ||
        (function.since == best->since && function.per_thread)) {
      best = &function;
    }
  }
  return best;
}

}  // namespace

CUresult cuGetProcAddress_v2(const char* symbol, void** out, int version,
                             cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool per_thread =
      (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const ExportedFunction* function = FindFunction(symbol, version, per_thread);
  *out = function ? function->address : nullptr;
  if (status != nullptr) {
    *status = function ? CU_GET_PROC_ADDRESS_SUCCESS
                       : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char* symbol, void** out, int version,
                          cuuint64_t flags) {
  return driver::cuGetProcAddress_v2(symbol, out, version, flags, nullptr);
}

const PrivateTable& Table() {
  static const PrivateTable table = {
      sizeof(PrivateTable), &g_callbacks, Current,   ContextUid, ContextDevice,
      StreamIdIn,           UsedBytes,    FreeBytes, ActiveXid,  SetError};
  return table;
}

CUresult cuGetExportTable(const void** out, const CUuuid* id) {
  if (out == nullptr || id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (std::memcmp(id, &kPrivateTableId, sizeof *id) != 0) {
    return CUDA_ERROR_NOT_FOUND;
  }
  *out = &Table();
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = DriverErrorName(error);
  return *out != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char** out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = ErrorText(error);
  return *out != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace simgpu::driver
