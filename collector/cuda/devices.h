// SPDX-License-Identifier: Apache-2.0
// The GPUs, numbered as the CUDA driver does for this process. Their properties
// are recorded once, at the first context; free and total memory whenever a
// thread with a current context takes a sample. Called from CUPTI callbacks,
// inside InsideScope.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace inquest::collector {

struct DeviceId {
  std::string uuid;  // GPU-xxxxxxxx-xxxx-…, as NVML writes it
  std::string pci;   // 0000:17:00.0
};
inline constexpr int kMaxDevices = 64;

// Records the properties of all devices unless that was done; needs only
// cuInit.
void NoteDevices();
// Adds the driver version, which only NVML knows. Background thread.
void NoteDeviceDriver(int ordinal, const char* driver_version);
bool DevicesKnown();
int DeviceCount();
const DeviceId& DeviceAt(int ordinal);

// The device of the context with this CUPTI id; asks the driver once per
// context, which must be current then. -1 unknown.
int DeviceOfContext(uint32_t context);
// Records free and total memory of the current context's device.
void SampleCurrentDevice(int device, const char* reason);

void ForgetDevices();

}  // namespace inquest::collector
