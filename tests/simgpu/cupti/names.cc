// SPDX-License-Identifier: Apache-2.0
#include "cupti/names.h"

#include <cupti.h>

#include <span>

#include "cupti_names.h"

namespace simgpu::cupti {
namespace {

const char* Find(std::span<const NumberedName> names, uint32_t number) {
  for (const NumberedName& name : names) {
    if (name.number == number) return name.name;
  }
  return nullptr;
}

}  // namespace

const char* DriverCallbackName(uint32_t cbid) {
  return Find(kDriverCbidNames, cbid);
}

const char* RuntimeCallbackName(uint32_t cbid) {
  return Find(kRuntimeCbidNames, cbid);
}

const char* ResultName(uint32_t result) {
  return Find(kResultNames, result);
}

const char* ResourceCallbackName(uint32_t cbid) {
  static constexpr NumberedName names[] = {
      {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, "CONTEXT_CREATED"},
      {CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
       "CONTEXT_DESTROY_STARTING"},
      {CUPTI_CBID_RESOURCE_STREAM_CREATED, "STREAM_CREATED"},
      {CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, "STREAM_DESTROY_STARTING"},
      {CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, "CU_INIT_FINISHED"},
      {CUPTI_CBID_RESOURCE_MODULE_LOADED, "MODULE_LOADED"},
      {CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, "MODULE_UNLOAD_STARTING"},
  };
  return Find(names, cbid);
}

}  // namespace simgpu::cupti
