// SPDX-License-Identifier: Apache-2.0
// Records what the process can see of NVIDIA's driver: libcuda and its version
// or that there is none, what cuInit returned, the kernel's module, the device
// files. Nothing is loaded, opened or called for it except cuDriverGetVersion
// of a libcuda that the program has loaded itself. Background thread only.
#include <string>
#include <string_view>

#include "base/text.h"
#include "collector/core/emit.h"
#include "collector/core/source.h"
#include "collector/cuda/cuda_api.h"
#include "collector/cuda/init_hook.h"
#include "collector/process/library_versions.h"
#include "collector/process/modules.h"
#include "host/driver_files.h"
#include "host/library_search.h"

namespace inquest::collector {
namespace {

constexpr char kLibcuda[] = "libcuda.so.1";

struct DriverState {
  std::string library, library_version, cuda, kernel_version, device_error;
  int64_t loaded = 0, device_files = 0, init_result = trace::kNoNumber;

  bool operator==(const DriverState&) const = default;
};

struct DriverWatch {
  uint64_t loads = 0;
  bool looked = false;
  DriverState last;
};
// Never freed: the background thread may use it until the process ends.
DriverWatch* g_driver = nullptr;

void LookAtLibcuda(const std::string& root, DriverState* state) {
  for (const Module& module : ListModules()) {
    if (!BaseName(module.path).starts_with("libcuda.so")) continue;
    state->loaded = 1;
    state->library = module.path;
    const LibraryVersion said = VersionOf(module.path, module.base);
    if (said.source == "call") state->cuda = said.version;
    break;
  }
  if (state->loaded == 0) state->library = host::FindLibrary(kLibcuda, root);
  const std::string number = host::VersionInFileName(state->library);
  if (host::IsDriverNumber(number)) state->library_version = number;
}

DriverState ReadDriver(const std::string& root) {
  DriverState state;
  LookAtLibcuda(root, &state);
  state.kernel_version = host::KernelModuleVersion(root);
  const host::DeviceFiles files = host::LookForDeviceFiles(root);
  state.device_files = files.count;
  state.device_error = files.error;
  const InitResult init = LastInit();
  if (init.called) state.init_result = init.result;
  return state;
}

void EmitDriver(const DriverState& state) {
  trace::DriverRecord record;
  record.time_ns = MonotonicNs();
  record.loaded = state.loaded;
  record.init_result = state.init_result;
  record.device_files = state.device_files;
  record.library = state.library;
  record.library_version = state.library_version;
  record.cuda = state.cuda;
  if (state.init_result != trace::kNoNumber) {
    record.init_name = DriverErrorName(state.init_result);
  }
  record.kernel_version = state.kernel_version;
  record.device_error = state.device_error;
  Emit(record);
}

// Only libraries and cuInit change it while a process runs.
void LookAtDriver(const Config& config) {
  if (g_driver == nullptr) g_driver = new DriverWatch;
  const uint64_t loads = LoadCount();
  const InitResult init = LastInit();
  const int64_t result = init.called ? init.result : trace::kNoNumber;
  if (g_driver->looked && loads == g_driver->loads &&
      result == g_driver->last.init_result) {
    return;
  }
  DriverState state = ReadDriver(config.system_root);
  // Once exit has begun, no library is asked any more.
  if (state.cuda.empty() && state.library == g_driver->last.library) {
    state.cuda = g_driver->last.cuda;
  }
  if (!g_driver->looked || state != g_driver->last) EmitDriver(state);
  g_driver->looked = true;
  g_driver->loads = loads;
  g_driver->last = std::move(state);
}

}  // namespace

constinit const Source kDriverSource = {
    .name = "driver",
    .housekeep = LookAtDriver,
    .forget_in_child = [] { g_driver = nullptr; },
};

}  // namespace inquest::collector
