#include "collector/nvml/nvml_api.h"

#include <dlfcn.h>

#include "collector/core/dlsym_hook.h"

namespace inquest::collector::nvml {
namespace {

template <typename Function>
void Find(void* library, const char* name, Function** to) {
  *to = reinterpret_cast<Function*>(RealDlsym(library, name));
}

void FindDevices(void* library, Api* api) {
  Find(library, "nvmlSystemGetDriverVersion", &api->driver_version);
  Find(library, "nvmlDeviceGetHandleByPciBusId_v2", &api->handle_by_pci);
  Find(library, "nvmlDeviceGetHandleByUUID", &api->handle_by_uuid);
  Find(library, "nvmlDeviceGetMemoryInfo", &api->memory);
  Find(library, "nvmlDeviceGetTotalEccErrors", &api->ecc_errors);
}

void FindProcesses(void* library, Api* api) {
  Find(library, "nvmlDeviceGetComputeRunningProcesses_v3", &api->compute);
  Find(library, "nvmlDeviceGetGraphicsRunningProcesses_v3", &api->graphics);
  if (api->compute == nullptr) {
    Find(library, "nvmlDeviceGetComputeRunningProcesses_v2", &api->compute);
    Find(library, "nvmlDeviceGetGraphicsRunningProcesses_v2", &api->graphics);
  }
  Find(library, "nvmlSystemGetProcessName", &api->process_name);
}

void FindEvents(void* library, Api* api) {
  Find(library, "nvmlEventSetCreate", &api->new_events);
  Find(library, "nvmlDeviceGetSupportedEventTypes", &api->supported_events);
  Find(library, "nvmlDeviceRegisterEvents", &api->watch);
  Find(library, "nvmlEventSetWait_v2", &api->next_event);
}

}  // namespace

std::string Load(Api* api) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "no libnvidia-ml.so.1";
  Find(library, "nvmlInit_v2", &api->init);
  Find(library, "nvmlErrorString", &api->error_text);
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
