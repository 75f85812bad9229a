// SPDX-License-Identifier: Apache-2.0
#include "collector/nvml/nvml_api.h"

#include <dlfcn.h>

#include "collector/core/dlopen_hook.h"
#include "collector/core/dlsym_hook.h"

namespace inquest::collector::nvml {
namespace {

void FindDevices(void* library, Api* api) {
  FindSymbol(library, "nvmlSystemGetDriverVersion", &api->driver_version);
  FindSymbol(library, "nvmlDeviceGetHandleByPciBusId_v2", &api->handle_by_pci);
  FindSymbol(library, "nvmlDeviceGetHandleByUUID", &api->handle_by_uuid);
  FindSymbol(library, "nvmlDeviceGetMemoryInfo", &api->memory);
  FindSymbol(library, "nvmlDeviceGetTotalEccErrors", &api->ecc_errors);
}

void FindProcesses(void* library, Api* api) {
  FindSymbol(library, "nvmlDeviceGetComputeRunningProcesses_v3", &api->compute);
  FindSymbol(library, "nvmlDeviceGetGraphicsRunningProcesses_v3",
             &api->graphics);
  if (api->compute == nullptr) {
    FindSymbol(library, "nvmlDeviceGetComputeRunningProcesses_v2",
               &api->compute);
    FindSymbol(library, "nvmlDeviceGetGraphicsRunningProcesses_v2",
               &api->graphics);
  }
  FindSymbol(library, "nvmlSystemGetProcessName", &api->process_name);
}

void FindEvents(void* library, Api* api) {
  FindSymbol(library, "nvmlEventSetCreate", &api->new_events);
  FindSymbol(library, "nvmlDeviceGetSupportedEventTypes",
             &api->supported_events);
  FindSymbol(library, "nvmlDeviceRegisterEvents", &api->watch);
  FindSymbol(library, "nvmlEventSetWait_v2", &api->next_event);
}

}  // namespace

std::string Load(Api* api) {
  void* library = OpenLibrary("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "no libnvidia-ml.so.1";
  FindSymbol(library, "nvmlInit_v2", &api->init);
  FindSymbol(library, "nvmlErrorString", &api->error_text);
  FindDevices(library, api);
  FindProcesses(library, api);
  FindEvents(library, api);
  if (api->init == nullptr) return "libnvidia-ml.so.1 has no nvmlInit_v2";
  const Result result = api->init();
  if (result == kSuccess) return "";
  const char* text =
      api->error_text != nullptr ? api->error_text(result) : nullptr;
  return std::string("nvmlInit: ") + (text != nullptr ? text : "unknown error");
}

}  // namespace inquest::collector::nvml
