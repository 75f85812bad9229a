#include "collector/nvml/nvml.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/core/lifecycle.h"
#include "collector/cuda/devices.h"
#include "collector/nvml/nvml_api.h"
#include "collector/nvml/nvml_events.h"

namespace inquest::collector {
namespace {

using nvml::Api;
using nvml::Device;
using nvml::kSuccess;
using nvml::Memory;
using nvml::ProcessInfo;
using nvml::Result;

bool g_tried = false;
std::atomic<bool> g_ready{false};
Api g_api;
// By CUDA ordinal, which CUDA_VISIBLE_DEVICES makes differ from NVML's index.
Device g_devices[kMaxDevices];
bool g_lost[kMaxDevices];

// Once a device; the answer does not change until the machine is restarted.
bool NoteIfLost(int ordinal, const char* function, Result result) {
  if (result != nvml::kGpuIsLost) return false;
  if (std::exchange(g_lost[ordinal], true)) return true;
  trace::ApiErrorRecord record;
  record.time_ns = MonotonicNs();
  record.result = result;
  record.device = static_cast<int16_t>(ordinal);
  record.api = "nvml";
  record.function = function;
  record.name = "NVML_ERROR_GPU_IS_LOST";
  record.text = g_api.error_text != nullptr ? g_api.error_text(result) : "";
  Emit(record);
  return true;
}

Device Find(const DeviceId& id, Result* result) {
  Device device = nullptr;
  if (g_api.handle_by_uuid != nullptr && !id.uuid.empty()) {
    *result = g_api.handle_by_uuid(id.uuid.c_str(), &device);
    if (*result == kSuccess) return device;
  }
  if (g_api.handle_by_pci != nullptr && !id.pci.empty()) {
    *result = g_api.handle_by_pci(id.pci.c_str(), &device);
    if (*result == kSuccess) return device;
  }
  return nullptr;
}

void MapDevices() {
  for (int i = 0; i < DeviceCount(); ++i) {
    Result result = kSuccess;
    g_devices[i] = Find(DeviceAt(i), &result);
    NoteIfLost(i, "nvmlDeviceGetHandleByUUID", result);
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
  if (g_api.memory == nullptr) return;
  const Result result = g_api.memory(g_devices[ordinal], &memory);
  NoteIfLost(ordinal, "nvmlDeviceGetMemoryInfo", result);
  if (result != kSuccess) return;
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
    if (result != nvml::kInsufficientSize) break;
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
    const int64_t used = process.used_bytes == nvml::kNotAvailable
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
  const std::string fault = nvml::Load(&g_api);
  if (!fault.empty()) return EmitCoverage("nvml", "failed", fault);
  static const int registered = std::atexit(OnExit);
  g_ready.store(registered == 0);
  MapDevices();
  NoteDriverVersion();
  EmitCoverage("nvml", "on", "");
  nvml::WatchEvents(g_api, g_devices, DeviceCount());
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
  nvml::TakeEvents();
  nvml::SampleErrorCounts();
  return true;
}

void TakeNvmlEvents() {
  if (g_ready.load()) nvml::TakeEvents();
}

void ForgetNvml() {
  g_tried = false;
  g_ready.store(false);
  std::fill(std::begin(g_lost), std::end(g_lost), false);
  nvml::ForgetEvents();
}

}  // namespace inquest::collector
