// SPDX-License-Identifier: Apache-2.0
// What every exported runtime function does around its own work: callbacks,
// injected faults and the thread's last error. Also the lazy start: the first
// call that needs a device initialises the driver and makes the device's
// primary context current, as the real runtime does.
//
// Used by the wrappers that generate_api.py writes and by all of runtime/.
// Error numbers are the driver's own (equal since CUDA 10.1). Any thread.
#pragma once

#include <cuda_runtime_api.h>

#include "abi/traced_call.h"
#include "core/fault.h"
#include "runtime/driver_api.h"

namespace simgpu::runtime {

struct CallSite {
  const char* name;
  uint32_t cbid;
  bool sets_last_error;
};

// The driver, which must have been found: call Ready() or Started() first.
const DriverApi& Cu();

// Driver found and initialised.
cudaError_t Started();
// Also a context current on this thread.
cudaError_t Ready();

cudaError_t Error(CUresult result);

// The thread's error state.
void NoteError(cudaError_t error);
cudaError_t TakeLastError();
cudaError_t LastError();

// The thread's device, by cudaSetDevice.
int CurrentDevice();
cudaError_t UseDevice(int device);
void ForgetContexts(int device);

// Runs a driver call with a context current.
template <class Body>
cudaError_t WithContext(Body body) {
  const cudaError_t ready = Ready();
  return ready == cudaSuccess ? Error(body(Cu())) : ready;
}

template <class Body>
cudaError_t Finish(const CallSite& site, Body body) {
  FaultHit hit;
  cudaError_t result;
  if (CallFaultsArmed() && HitFault(site.name, &hit)) {
    result = static_cast<cudaError_t>(hit.result);
    const DriverApi* driver = LoadDriver();
    if ((hit.sticky || hit.async) && driver && driver->table) {
      driver->table->set_error(static_cast<CUresult>(hit.result));
    }
    if (hit.async) result = cudaSuccess;
  } else {
    result = body();
  }
  if (site.sets_last_error && result != cudaSuccess) NoteError(result);
  return result;
}

template <class Body>
cudaError_t Api(const CallSite& site, const void* params, Body body) {
  const DriverApi* driver = LoadDriver();
  if (driver == nullptr || driver->table == nullptr ||
      driver->table->callbacks->runtime[site.cbid].load(
          std::memory_order_relaxed) == 0) [[likely]] {
    return Finish(site, body);
  }
  TracedCall call(*driver->table, CUPTI_CB_DOMAIN_RUNTIME_API, site.cbid,
                  site.name, params, nullptr);
  cudaError_t result = Finish(site, body);
  call.Exit(&result);
  return result;
}

// Device pointers are numbers to the driver and pointers to the runtime.
inline CUdeviceptr* DevicePtr(void** out) {
  return reinterpret_cast<CUdeviceptr*>(out);
}
inline CUdeviceptr Address(const void* memory) {
  return reinterpret_cast<CUdeviceptr>(memory);
}

}  // namespace simgpu::runtime
