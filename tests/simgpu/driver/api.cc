// SPDX-License-Identifier: Apache-2.0
#include "driver/api.h"

#include <cupti.h>

#include "driver/launch.h"
#include "driver/objects.h"

namespace simgpu::driver {

CallbackState g_callbacks;

namespace {

// A device that suffered an Xid takes its contexts with it.
CUresult DeviceTrouble(CUcontext context) {
  const int xid = ActiveXid(context ? context->device->ordinal() : 0);
  if (xid == 0) return CUDA_SUCCESS;
  if (context) context->error.store(ResultOfXid(xid));
  return static_cast<CUresult>(ResultOfXid(xid));
}

CUresult InjectedFault(const CallSite& site, CUcontext context) {
  FaultHit hit;
  if (!HitFault(site.name, &hit)) return CUDA_SUCCESS;
  if (context && (hit.sticky || hit.async)) context->error.store(hit.result);
  return hit.async ? CUDA_SUCCESS : static_cast<CUresult>(hit.result);
}

}  // namespace

CUresult Prologue(const CallSite& site) {
  if (site.needs != Needs::kNothing && !Initialised()) {
    return InitialisedOrError();
  }
  CUcontext context = Current();
  if (site.needs == Needs::kContext) {
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    if (!IsLive(context)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    const CUresult trouble = DeviceTrouble(context);
    if (trouble != CUDA_SUCCESS) return trouble;
    const int error = context->error.load(std::memory_order_relaxed);
    if (error != 0) return static_cast<CUresult>(error);
  }
  if (CallFaultsArmed()) return InjectedFault(site, context);
  return CUDA_SUCCESS;
}

const char* SymbolOf(uint32_t cbid, const void* params) {
  switch (cbid) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return KernelName(static_cast<const cuLaunchKernel_params*>(params)->f);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return KernelName(static_cast<const cuLaunchKernelEx_params*>(params)->f);
    default:
      return nullptr;
  }
}

namespace {

void EmitResource(CUpti_CallbackIdResource cbid, CUpti_ResourceData* data) {
  const Dispatch dispatch = g_callbacks.dispatch.load();
  if (dispatch == nullptr || g_callbacks.resource[cbid].load() == 0) return;
  dispatch(CUPTI_CB_DOMAIN_RESOURCE, cbid, data);
}

}  // namespace

void EmitInitialised() {
  CUpti_ResourceData data = {};
  EmitResource(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, &data);
}

void EmitContext(CUpti_CallbackIdResource cbid, CUcontext context) {
  CUpti_ResourceData data = {};
  data.context = context;
  EmitResource(cbid, &data);
}

void EmitStream(CUpti_CallbackIdResource cbid, CUcontext context,
                CUstream stream) {
  CUpti_ResourceData data = {};
  data.context = context;
  data.resourceHandle.stream = stream;
  EmitResource(cbid, &data);
}

void EmitModule(CUpti_CallbackIdResource cbid, CUcontext context, uint32_t id,
                const char* image, size_t size) {
  CUpti_ModuleResourceData module = {};
  module.moduleId = id;
  module.cubinSize = size;
  module.pCubin = image;
  CUpti_ResourceData data = {};
  data.context = context;
  data.resourceDescriptor = &module;
  EmitResource(cbid, &data);
}

void EmitSynchronized(CUpti_CallbackIdSync cbid, CUcontext context,
                      CUstream stream) {
  const Dispatch dispatch = g_callbacks.dispatch.load();
  if (dispatch == nullptr || g_callbacks.synchronize[cbid].load() == 0) return;
  CUpti_SynchronizeData data = {};
  data.context = context;
  data.stream = stream;
  dispatch(CUPTI_CB_DOMAIN_SYNCHRONIZE, cbid, &data);
}

}  // namespace simgpu::driver
