// SPDX-License-Identifier: Apache-2.0
// What the NVML stand-in knows about a device: the same configuration and
// shared file as the driver's, and, if the simulated driver is loaded in this
// process, its records.
//
// Used by nvml/. Bytes; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "core/shared_usage.h"
#include "nvml/nvml.h"

struct nvmlDevice_st {
  int index = 0;
};

namespace simgpu::nvml {

nvmlReturn_t Start();
nvmlReturn_t Stop();

// Success when NVML was started, the handle is a device, and it is not lost.
nvmlReturn_t Ready(nvmlDevice_t device);
nvmlReturn_t Initialised();

nvmlDevice_t DeviceAt(unsigned index);
uint64_t TotalBytes();
// Every process that holds memory of the device, invented ones included.
std::vector<ProcessUsage> Processes(int device);
// The Xid that the device has by now, or 0.
int Xid(int device);

// A fixed answer for a device that is present.
template <class Value>
nvmlReturn_t Give(nvmlDevice_t device, Value* out, Value value) {
  const nvmlReturn_t ready = Ready(device);
  if (ready != NVML_SUCCESS) return ready;
  if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *out = value;
  return NVML_SUCCESS;
}

}  // namespace simgpu::nvml
