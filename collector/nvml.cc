#include "collector/nvml.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "collector/devices.h"
#include "collector/dlsym_hook.h"
#include "collector/drain.h"
#include "collector/emit.h"
#include "collector/lifecycle.h"

namespace inquest::collector {
namespace {

// Declared here because the toolkit's nvml.h is a package of its own. Names,
// numbers and layouts are those of NVIDIA's NVML API reference.
using Device = struct NvmlDeviceOpaque*;
using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kInsufficientSize = 7;
constexpr unsigned long long kNotAvailable = ~0ull;

struct Memory {
  unsigned long long total, free, used;
};
struct ProcessInfo {  // nvmlProcessInfo_t as of the _v2 and _v3 calls
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct Api {
  Result (*init)() = nullptr;
  const char* (*error_text)(Result) = nullptr;
  Result (*driver_version)(char*, unsigned) = nullptr;
  Result (*handle_by_pci)(const char*, Device*) = nullptr;
  Result (*handle_by_uuid)(const char*, Device*) = nullptr;
  Result (*memory)(Device, Memory*) = nullptr;
  Result (*compute)(Device, unsigned*, ProcessInfo*) = nullptr;
  Result (*graphics)(Device, unsigned*, ProcessInfo*) = nullptr;
  Result (*process_name)(unsigned, char*, unsigned) = nullptr;
};

bool g_tried = false;
std::atomic<bool> g_ready{false};
Api g_api;
// By CUDA ordinal, which CUDA_VISIBLE_DEVICES makes differ from NVML's index.
Device g_devices[kMaxDevices];

template <typename Function>
void Find(void* library, const char* name, Function** to) {
  *to = reinterpret_cast<Function*>(RealDlsym(library, name));
}

bool Load() {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  Find(library, "nvmlInit_v2", &g_api.init);
  Find(library, "nvmlErrorString", &g_api.error_text);
  Find(library, "nvmlSystemGetDriverVersion", &g_api.driver_version);
  Find(library, "nvmlDeviceGetHandleByPciBusId_v2", &g_api.handle_by_pci);
  Find(library, "nvmlDeviceGetHandleByUUID", &g_api.handle_by_uuid);
  Find(library, "nvmlDeviceGetMemoryInfo", &g_api.memory);
  Find(library, "nvmlDeviceGetComputeRunningProcesses_v3", &g_api.compute);
  Find(library, "nvmlDeviceGetGraphicsRunningProcesses_v3", &g_api.graphics);
  if (g_api.compute == nullptr) {
    Find(library, "nvmlDeviceGetComputeRunningProcesses_v2", &g_api.compute);
    Find(library, "nvmlDeviceGetGraphicsRunningProcesses_v2", &g_api.graphics);
  }
  Find(library, "nvmlSystemGetProcessName", &g_api.process_name);
  return g_api.init != nullptr;
}

void MapDevices() {
  for (int i = 0; i < DeviceCount(); ++i) {
    const DeviceId& id = DeviceAt(i);
    Device device = nullptr;
    const bool found =
        (g_api.handle_by_uuid != nullptr && !id.uuid.empty() &&
         g_api.handle_by_uuid(id.uuid.c_str(), &device) == kSuccess) ||
        (g_api.handle_by_pci != nullptr && !id.pci.empty() &&
         g_api.handle_by_pci(id.pci.c_str(), &device) == kSuccess);
    g_devices[i] = found ? device : nullptr;
  }
}

void NoteDriverVersion() {
  char version[96] = "";
  if (g_api.driver_version == nullptr ||
      g_api.driver_version(version, sizeof version) != kSuccess) {
    return;
  }
  for (int i = 0; i < DeviceCount(); ++i) NoteDeviceDriver(i, version);
}

void SampleMemory(int ordinal, const char* reason) {
  Memory memory{};
  if (g_api.memory == nullptr ||
      g_api.memory(g_devices[ordinal], &memory) != kSuccess) {
    return;
  }
  Emit(trace::DeviceMemoryRecord{MonotonicNs(), ordinal,
                                 static_cast<int64_t>(memory.free),
                                 static_cast<int64_t>(memory.total), reason});
}

using ListProcesses = Result (*)(Device, unsigned*, ProcessInfo*);

std::vector<ProcessInfo> List(ListProcesses list, Device device) {
  std::vector<ProcessInfo> processes(32);
  for (int attempt = 0; list != nullptr && attempt < 3; ++attempt) {
    auto count = static_cast<unsigned>(processes.size());
    const Result result = list(device, &count, processes.data());
    if (result == kSuccess) {
      processes.resize(count);
      return processes;
    }
    if (result != kInsufficientSize) break;
    processes.resize(size_t{count} + 16);
  }
  return {};
}

void SampleProcesses(int ordinal, const char* reason) {
  std::vector<ProcessInfo> all = List(g_api.compute, g_devices[ordinal]);
  for (const ProcessInfo& process : List(g_api.graphics, g_devices[ordinal])) {
    bool known = false;
    for (const ProcessInfo& other : all) known |= other.pid == process.pid;
    if (!known) all.push_back(process);
  }
  const int64_t now = MonotonicNs();
  for (const ProcessInfo& process : all) {
    if (process.pid == static_cast<unsigned>(getpid())) continue;
    char name[256] = "";
    if (g_api.process_name != nullptr &&
        g_api.process_name(process.pid, name, sizeof name) != kSuccess) {
      name[0] = '\0';
    }
    const int64_t used = process.used_bytes == kNotAvailable
                             ? trace::kNoNumber
                             : static_cast<int64_t>(process.used_bytes);
    Emit(trace::DeviceProcessRecord{now, ordinal, process.pid, used, name,
                                    reason});
  }
}

// Registered when NVML has been loaded, so it runs before NVML's own
// destructors: after it NVML is not called any more.
void OnExit() {
  if (g_ready.load()) TakeEndSample();
  g_ready.store(false);
}

}  // namespace

void StartNvml() {
  if (g_tried || !DevicesKnown() || IsExiting()) return;
  g_tried = true;
  if (!Load()) return EmitCoverage("nvml", "failed", "no libnvidia-ml.so.1");
  const Result result = g_api.init();
  if (result != kSuccess) {
    const char* text =
        g_api.error_text != nullptr ? g_api.error_text(result) : nullptr;
    return EmitCoverage(
        "nvml", "failed",
        std::string("nvmlInit: ") + (text != nullptr ? text : "unknown error"));
  }
  static const int registered = std::atexit(OnExit);
  g_ready.store(registered == 0);
  MapDevices();
  NoteDriverVersion();
  EmitCoverage("nvml", "on", "");
}

bool SampleNvml(const char* reason) {
  if (!g_ready) return false;
  MakeRoom();
  for (int i = 0; i < DeviceCount(); ++i) {
    if (g_devices[i] == nullptr || !g_ready.load()) continue;
    // By now the program may long be allocating; the driver was asked for the
    // memory at the start when the first context was made (devices.cc).
    const bool start = std::strcmp(reason, "start") == 0;
    SampleMemory(i, start ? "timer" : reason);
    SampleProcesses(i, reason);
  }
  return true;
}

void ForgetNvml() {
  g_tried = false;
  g_ready.store(false);
}

}  // namespace inquest::collector
