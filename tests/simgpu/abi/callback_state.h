// SPDX-License-Identifier: Apache-2.0
// The private contract between the stand-ins of one process: libcuda owns a
// CallbackState and hands it out with a few functions in a PrivateTable,
// through cuGetExportTable as the real driver does with its own tables.
// libcupti writes the flags, libcuda and libcudart read them at each call.
//
// Nothing outside tests/simgpu may use it. Flags are indexed by cbid. Threads:
// all words are atomic; a callback runs on the thread that made the call.
#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>

#include <atomic>
#include <cstdint>

namespace simgpu {

using Dispatch = void (*)(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                          const void* data);

struct CallbackState {
  std::atomic<Dispatch> dispatch{nullptr};
  std::atomic<uint32_t> correlation{0};
  std::atomic<uint8_t> driver[CUPTI_DRIVER_TRACE_CBID_SIZE] = {};
  std::atomic<uint8_t> runtime[CUPTI_RUNTIME_TRACE_CBID_SIZE] = {};
  std::atomic<uint8_t> resource[CUPTI_CBID_RESOURCE_SIZE] = {};
  std::atomic<uint8_t> synchronize[CUPTI_CBID_SYNCHRONIZE_SIZE] = {};
};

struct PrivateTable {
  size_t size;
  CallbackState* callbacks;
  CUcontext (*current_context)();
  uint32_t (*context_uid)(CUcontext context);
  CUdevice (*context_device)(CUcontext context);
  uint32_t (*stream_id)(CUcontext context, CUstream stream);
  // Bytes that this process holds on a device, and the Xid that the device has
  // had.
  uint64_t (*used_bytes)(int device);
  uint64_t (*free_bytes)(int device);
  int (*active_xid)(int device);
  // Makes the current context keep an error, as an asynchronous fault does.
  void (*set_error)(CUresult error);
};

// The name under which cuGetExportTable gives the table.
inline constexpr CUuuid kPrivateTableId = {{'s', 'i', 'm', 'g', 'p', 'u', '-',
                                            't', 'a', 'b', 'l', 'e', '-', '0',
                                            '0', '1'}};

}  // namespace simgpu
