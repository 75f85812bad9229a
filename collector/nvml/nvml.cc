// SPDX-License-Identifier: Apache-2.0
// Records what NVML knows and the CUDA driver does not: the driver's version
// and which other processes hold memory on our GPUs; also samples memory on a
// timer, without using CUDA. Background thread only, because NVML may hang on a
// GPU that has fallen off the bus, and the host must not. Found at run time; if
// it is missing, `coverage` says so.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/core/lifecycle.h"
#include "collector/core/source.h"
#include "collector/cuda/devices.h"
#include "collector/nvml/nvml_api.h"
#include "collector/nvml/nvml_events.h"
#include "collector/process/command_line.h"
#include "collector/process/modules.h"

namespace inquest::collector {
namespace {

using nvml::Api;
using nvml::Device;
using nvml::kSuccess;
using nvml::Memory;
using nvml::ProcessInfo;
using nvml::Result;

constexpr size_t kMaxCommand = 200;  // bytes, of another process's

bool g_tried = false;
std::atomic<bool> g_ready{false};
Api g_nvml;
// By CUDA ordinal, which CUDA_VISIBLE_DEVICES makes differ from NVML's index.
Device g_nvml_devices[kMaxDevices];
bool g_lost[kMaxDevices];
int64_t g_next_sample_ns = 0;  // 0: no sample was taken yet

// Once per device; the answer does not change until the machine is restarted.
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
  record.text = g_nvml.error_text != nullptr ? g_nvml.error_text(result) : "";
  Emit(record);
  return true;
}

Device FindDevice(const DeviceId& id, Result* result) {
  Device device = nullptr;
  if (g_nvml.handle_by_uuid != nullptr && !id.uuid.empty()) {
    *result = g_nvml.handle_by_uuid(id.uuid.c_str(), &device);
    if (*result == kSuccess) return device;
  }
  if (g_nvml.handle_by_pci != nullptr && !id.pci.empty()) {
    *result = g_nvml.handle_by_pci(id.pci.c_str(), &device);
    if (*result == kSuccess) return device;
  }
  return nullptr;
}

void MapDevices() {
  for (int i = 0; i < DeviceCount(); ++i) {
    Result result = kSuccess;
    g_nvml_devices[i] = FindDevice(DeviceAt(i), &result);
    NoteIfLost(i, "nvmlDeviceGetHandleByUUID", result);
  }
}

void NoteDriverVersion() {
  char version[96] = "";
  if (g_nvml.driver_version == nullptr ||
      g_nvml.driver_version(version, sizeof version) != kSuccess) {
    return;
  }
  for (int i = 0; i < DeviceCount(); ++i) NoteDeviceDriver(i, version);
}

void SampleMemory(int ordinal, const char* reason) {
  Memory memory{};
  if (g_nvml.memory == nullptr) return;
  const Result result = g_nvml.memory(g_nvml_devices[ordinal], &memory);
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

// As NVML names it, with its arguments if /proc shows the same program under
// that number: in a container another process may have it.
std::string NameOf(unsigned pid) {
  char name[256] = "";
  if (g_nvml.process_name == nullptr ||
      g_nvml.process_name(pid, name, sizeof name) != kSuccess) {
    return {};
  }
  std::string command = CommandLineOf(std::to_string(pid));
  const std::string_view program =
      std::string_view(command).substr(0, command.find(' '));
  const std::string_view named =
      std::string_view(name).substr(0, std::string_view(name).find(' '));
  if (program.empty() || BaseName(program) != BaseName(named)) return name;
  if (command.size() > kMaxCommand) command.resize(kMaxCommand);
  return command;
}

void SampleProcesses(int ordinal, const char* reason) {
  std::vector<ProcessInfo> all = List(g_nvml.compute, g_nvml_devices[ordinal]);
  for (const ProcessInfo& process :
       List(g_nvml.graphics, g_nvml_devices[ordinal])) {
    bool known = false;
    for (const ProcessInfo& other : all) known |= other.pid == process.pid;
    if (!known) all.push_back(process);
  }
  const int64_t now = MonotonicNs();
  for (const ProcessInfo& process : all) {
    if (process.pid == static_cast<unsigned>(getpid())) continue;
    const std::string name = NameOf(process.pid);
    const int64_t used = process.used_bytes == nvml::kNotAvailable
                             ? trace::kNoNumber
                             : static_cast<int64_t>(process.used_bytes);
    Emit(trace::DeviceProcessRecord{now, ordinal, process.pid, used, name,
                                    reason});
  }
}

// Registered when NVML has been loaded, so it runs before NVML's own
// destructors: afterwards NVML is not called any more.
void TakeLastSample() {
  if (g_ready.load()) TakeEndSample();
  g_ready.store(false);
}

// As soon as the devices are known; does nothing the second time.
void StartNvml() {
  if (g_tried || !DevicesKnown() || IsExiting()) return;
  g_tried = true;
  const std::string fault = nvml::Load(&g_nvml);
  if (!fault.empty()) return EmitCoverage("nvml", "failed", fault);
  static const int registered = std::atexit(TakeLastSample);
  g_ready.store(registered == 0);
  MapDevices();
  NoteDriverVersion();
  EmitCoverage("nvml", "on", "");
  nvml::WatchEvents(g_nvml, g_nvml_devices, DeviceCount());
}

// False while there is no device to sample.
bool SampleNvml(const char* reason) {
  if (!g_ready) return false;
  MakeRoom();
  for (int i = 0; i < DeviceCount(); ++i) {
    if (g_nvml_devices[i] == nullptr || !g_ready.load()) continue;
    // The program may have allocated for a while by now; devices.cc sampled the
    // driver at the start, when the first context was made.
    const bool start = std::strcmp(reason, "start") == 0;
    SampleMemory(i, start ? "timer" : reason);
    SampleProcesses(i, reason);
  }
  nvml::TakeEvents();
  nvml::SampleErrorCounts();
  return true;
}

// The first sample is taken as soon as the devices are known.
void SampleWhenDue(int64_t period_ns) {
  const int64_t now = MonotonicNs();
  if (g_next_sample_ns == 0) {
    if (SampleNvml("start")) g_next_sample_ns = now + period_ns;
  } else if (period_ns > 0 && now >= g_next_sample_ns) {
    g_next_sample_ns = now + period_ns;
    SampleNvml("timer");
  }
}

void Housekeep(const Config& config) {
  StartNvml();
  if (g_ready.load()) nvml::TakeEvents();
  SampleWhenDue(config.sample_seconds * 1'000'000'000);
}

// A process may fail before the first round of housekeeping.
void SampleNow(const char* reason) {
  StartNvml();
  SampleNvml(reason);
}

void Forget() {
  g_tried = false;
  g_next_sample_ns = 0;
  g_ready.store(false);
  std::fill(std::begin(g_lost), std::end(g_lost), false);
  nvml::ForgetEvents();
}

}  // namespace

constinit const Source kNvmlSource = {
    .name = "nvml",
    .housekeep = Housekeep,
    .sample = SampleNow,
    .forget_in_child = Forget,
};

}  // namespace inquest::collector
