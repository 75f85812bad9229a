// SPDX-License-Identifier: Apache-2.0
// What NVML says about links between cards: the simulated ones have none, and
// answer as a card without NVLink does. PyTorch looks up these functions when a
// request finds no memory, and gives up if one of them does not exist.
#include "nvml/nvml.h"
#include "nvml/state.h"

using namespace simgpu::nvml;

namespace {

nvmlReturn_t NotSupported(nvmlDevice_t device) {
  const nvmlReturn_t ready = Ready(device);
  return ready == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : ready;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned, int*) {
  return NotSupported(device);
}

nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned,
                                                 int*) {
  return NotSupported(device);
}

nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned,
                                                 nvmlPciInfo_t*) {
  return NotSupported(device);
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, void*) {
  return NotSupported(device);
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, void*) {
  return NotSupported(device);
}

}  // extern "C"
