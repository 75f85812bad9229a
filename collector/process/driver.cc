// SPDX-License-Identifier: Apache-2.0
// Records what the process can see of NVIDIA's driver: libcuda and its version
// or that there is none, what cuInit returned, the kernel's module, the device
// files. Nothing is loaded, opened or called for it except cuDriverGetVersion
// of a libcuda that the program has loaded itself. Background thread only.
#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text.h"
#include "collector/core/emit.h"
#include "collector/core/source.h"
#include "collector/cuda/cuda_api.h"
#include "collector/cuda/init_hook.h"
#include "collector/process/distributions.h"
#include "collector/process/library_search.h"
#include "collector/process/library_versions.h"
#include "collector/process/modules.h"

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

// "580.95.05"; a toolkit's stub and WSL's libcuda.so.1.1 have no such number.
bool IsDriverNumber(std::string_view text) {
  const size_t dot = text.find('.');
  return dot == 3 && text.find_first_not_of("0123456789.") == text.npos;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82.01  Wed Oct 27 …"
std::string KernelModuleVersion(const std::string& root) {
  const std::string file =
      ReadFile(root + "/proc/driver/nvidia/version", kMaxPackageFileBytes);
  std::string_view rest = file;
  rest = rest.substr(0, rest.find('\n'));
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    if (IsDriverNumber(word)) return std::string(word);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return {};
}

// nvidia0, nvidia1, …; on WSL the one file stands for all GPUs.
bool IsDeviceFile(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia";
  if (name == "dxg") return true;
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         name.find_first_not_of("0123456789", kPrefix.size()) == name.npos;
}

void LookAtDeviceFiles(const std::string& root, DriverState* state) {
  DIR* directory = opendir((root + "/dev").c_str());
  if (directory == nullptr) return;
  int error = 0;
  bool usable = false;
  while (const dirent* entry = readdir(directory)) {
    if (!IsDeviceFile(entry->d_name)) continue;
    ++state->device_files;
    const std::string path = root + "/dev/" + entry->d_name;
    if (access(path.c_str(), R_OK | W_OK) == 0) {
      usable = true;
    } else {
      error = errno;
    }
  }
  closedir(directory);
  if (!usable && error != 0) state->device_error = std::strerror(error);
}

void LookAtLibcuda(const std::string& root, DriverState* state) {
  for (const Module& module : ListModules()) {
    if (!BaseName(module.path).starts_with("libcuda.so")) continue;
    state->loaded = 1;
    state->library = module.path;
    const LibraryVersion said = VersionOf(module.path, module.base);
    if (said.source == "call") state->cuda = said.version;
    break;
  }
  if (state->loaded == 0) state->library = FindLibrary(kLibcuda, root);
  const std::string number = VersionInFileName(state->library);
  if (IsDriverNumber(number)) state->library_version = number;
}

DriverState ReadDriver(const std::string& root) {
  DriverState state;
  LookAtLibcuda(root, &state);
  state.kernel_version = KernelModuleVersion(root);
  LookAtDeviceFiles(root, &state);
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
