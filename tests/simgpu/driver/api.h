// SPDX-License-Identifier: Apache-2.0
// What every exported driver function does before its own work: counts for
// fault injection, checks that the driver is initialised, that a context is
// current and has no sticky error, and issues the CUPTI callbacks.
//
// Used by the wrappers that generate_api.py writes; the functions themselves
// live in namespace simgpu::driver under their exported names. Any thread.
#pragma once

#include <cuda.h>

#include "abi/traced_call.h"
#include "core/fault.h"

namespace simgpu::driver {

enum class Needs { kNothing, kInit, kContext };

struct CallSite {
  const char* name;
  uint32_t cbid;
  Needs needs;
};

extern CallbackState g_callbacks;
const PrivateTable& Table();

// CUDA_SUCCESS when the call may go on.
CUresult Prologue(const CallSite& site);

// The kernel that a launch names, for symbolName; null for other calls.
const char* SymbolOf(uint32_t cbid, const void* params);

// Tells the resource domain. `detail` is what the domain's data point to.
void EmitContext(CUpti_CallbackIdResource cbid, CUcontext context);
void EmitStream(CUpti_CallbackIdResource cbid, CUcontext context,
                CUstream stream);
void EmitModule(CUpti_CallbackIdResource cbid, CUcontext context, uint32_t id,
                const char* image, size_t size);
void EmitInitialised();
void EmitSynchronized(CUpti_CallbackIdSync cbid, CUcontext context,
                      CUstream stream);

template <class Body>
CUresult Guarded(const CallSite& site, Body body) {
  const CUresult ready = Prologue(site);
  return ready == CUDA_SUCCESS ? body() : ready;
}

template <class Body>
CUresult Api(const CallSite& site, const void* params, Body body) {
  const auto& enabled = g_callbacks.driver[site.cbid];
  if (enabled.load(std::memory_order_relaxed) == 0) [[likely]] {
    return Guarded(site, body);
  }
  TracedCall call(Table(), CUPTI_CB_DOMAIN_DRIVER_API, site.cbid, site.name,
                  params, SymbolOf(site.cbid, params));
  CUresult result = Guarded(site, body);
  call.Exit(&result);
  return result;
}

}  // namespace simgpu::driver
