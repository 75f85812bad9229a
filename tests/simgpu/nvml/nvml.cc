// SPDX-License-Identifier: Apache-2.0
// The exported functions of the NVML stand-in.
#include "nvml/nvml.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/config.h"
#include "core/fault.h"
#include "nvml/state.h"

using namespace simgpu::nvml;

namespace {

nvmlReturn_t CopyText(const std::string& text, char* out, unsigned size) {
  if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (text.size() + 1 > size) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

unsigned long long UsedBytes(int device) {
  unsigned long long used = 0;
  for (const auto& process : Processes(device)) used += process.bytes;
  return std::min<unsigned long long>(used, TotalBytes());
}

// The first form of the entries lacks the instances.
void Fill(const simgpu::ProcessUsage& process, nvmlProcessInfo_t* out) {
  *out = {process.pid, process.bytes, ~0U, ~0U};
}
void Fill(const simgpu::ProcessUsage& process, nvmlProcessInfo_v1_t* out) {
  *out = {process.pid, process.bytes};
}

template <class Entry>
nvmlReturn_t GiveProcesses(nvmlDevice_t device, unsigned* count, Entry* out) {
  const nvmlReturn_t ready = Ready(device);
  if (ready != NVML_SUCCESS) return ready;
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const auto list = Processes(device->index);
  const unsigned room = *count;
  *count = static_cast<unsigned>(list.size());
  if (room < list.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (size_t i = 0; i < list.size(); ++i) Fill(list[i], &out[i]);
  return NVML_SUCCESS;
}

bool HasEccError(int device) {
  return simgpu::ResultOfXid(Xid(device)) == 214;  // ECC_UNCORRECTABLE
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() {
  simgpu::FaultHit hit;
  if (simgpu::CallFaultsArmed() && simgpu::HitFault("nvmlInit_v2", &hit)) {
    return static_cast<nvmlReturn_t>(hit.result);
  }
  return Start();
}
nvmlReturn_t nvmlInit() {
  return nvmlInit_v2();
}
nvmlReturn_t nvmlInitWithFlags(unsigned) {
  return nvmlInit_v2();
}
nvmlReturn_t nvmlShutdown() {
  return Stop();
}

const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "The operation was successful";
    case NVML_ERROR_UNINITIALIZED:
      return "NVML was not first initialized with nvmlInit()";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "A supplied argument is invalid";
    case NVML_ERROR_NOT_SUPPORTED:
      return "The requested operation is not available on target device";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "An input argument is not large enough";
    case NVML_ERROR_TIMEOUT:
      return "User provided timeout passed";
    case NVML_ERROR_GPU_IS_LOST:
      return "The GPU has fallen off the bus or has otherwise become "
             "inaccessible";
    default:
      return "Unknown Error";
  }
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* out, unsigned size) {
  const nvmlReturn_t ready = Initialised();
  if (ready != NVML_SUCCESS) return ready;
  return CopyText(simgpu::GetConfig().driver_text, out, size);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (version == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *version = simgpu::GetConfig().driver_version;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  return nvmlSystemGetCudaDriverVersion_v2(version);
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char* out, unsigned size) {
  for (const auto& process : Processes(0)) {
    if (process.pid == pid) return CopyText(process.name, out, size);
  }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  const nvmlReturn_t ready = Initialised();
  if (ready != NVML_SUCCESS) return ready;
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *count = static_cast<unsigned>(simgpu::GetConfig().devices);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCount(unsigned* count) {
  return nvmlDeviceGetCount_v2(count);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* out) {
  const nvmlReturn_t ready = Initialised();
  if (ready != NVML_SUCCESS) return ready;
  nvmlDevice_t device = DeviceAt(index);
  if (out == nullptr || device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *out = device;
  return Ready(device);
}
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* out) {
  return nvmlDeviceGetHandleByIndex_v2(index, out);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* out) {
  nvmlPciInfo_t info = {};
  if (device != nullptr) {
    info.bus = static_cast<unsigned>(device->index) + 1;
    info.pciDeviceId = 0x223610de;
    std::snprintf(info.busId, sizeof info.busId, "00000000:%02X:00.0",
                  info.bus);
    std::snprintf(info.busIdLegacy, sizeof info.busIdLegacy, "0000:%02X:00.0",
                  info.bus);
  }
  return Give(device, out, info);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* id,
                                              nvmlDevice_t* out) {
  if (id == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  for (unsigned i = 0; nvmlDevice_t device = DeviceAt(i); ++i) {
    nvmlPciInfo_t info;
    if (nvmlDeviceGetPciInfo_v3(device, &info) != NVML_SUCCESS) continue;
    if (strcasecmp(id, info.busId) == 0 ||
        strcasecmp(id, info.busIdLegacy) == 0) {
      return nvmlDeviceGetHandleByIndex_v2(i, out);
    }
  }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* out) {
  return Give(device, out, device ? static_cast<unsigned>(device->index) : 0U);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* out, unsigned size) {
  const nvmlReturn_t ready = Ready(device);
  if (ready != NVML_SUCCESS) return ready;
  return CopyText(simgpu::GetConfig().name, out, size);
}

// The bytes that cuDeviceGetUuid gives, in NVML's spelling.
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* out, unsigned size) {
  const nvmlReturn_t ready = Ready(device);
  if (ready != NVML_SUCCESS) return ready;
  const unsigned char bytes[] = "simulated-gpu-0";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    const unsigned value =
        i == 15 ? static_cast<unsigned>(device->index) + 1 : bytes[i];
    std::snprintf(digits, sizeof digits, "%02x", value);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return CopyText(text, out, size);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* out) {
  const unsigned long long used = device ? UsedBytes(device->index) : 0;
  return Give(device, out,
              nvmlMemory_t{TotalBytes(), TotalBytes() - used, used});
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device,
                                        nvmlMemory_v2_t* out) {
  constexpr unsigned kVersion = sizeof(nvmlMemory_v2_t) | 2U << 24;
  if (out != nullptr && out->version != kVersion) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  const unsigned long long used = device ? UsedBytes(device->index) : 0;
  return Give(
      device, out,
      nvmlMemory_v2_t{kVersion, TotalBytes(), 0, TotalBytes() - used, used});
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device,
                                                     unsigned* count,
                                                     nvmlProcessInfo_t* out) {
  return GiveProcesses(device, count, out);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device,
                                                     unsigned* count,
                                                     nvmlProcessInfo_t* out) {
  return GiveProcesses(device, count, out);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device,
                                                  unsigned* count,
                                                  nvmlProcessInfo_v1_t* out) {
  return GiveProcesses(device, count, out);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device,
                                                      unsigned* count,
                                                      nvmlProcessInfo_t*) {
  return Give(device, count, 0U);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int, unsigned* out) {
  return Give(device, out, 55U);
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int type,
                                    unsigned* out) {
  return Give(device, out, type == 2 ? 6251U : 1695U);
}

nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* out) {
  return Give(device, out, 120000U);
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device,
                                           nvmlUtilization_t* out) {
  return Give(device, out, nvmlUtilization_t{90, 40});
}

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, unsigned* current,
                                  unsigned* pending) {
  if (pending != nullptr) *pending = 1;
  return Give(device, current, 1U);
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, int type, int,
                                         unsigned long long* out) {
  const bool uncorrected = type == 1 && device && HasEccError(device->index);
  return Give(device, out, uncorrected ? 1ULL : 0ULL);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major,
                                                int* minor) {
  if (minor != nullptr) *minor = simgpu::GetConfig().compute_minor;
  return Give(device, major, simgpu::GetConfig().compute_major);
}

}  // extern "C"
