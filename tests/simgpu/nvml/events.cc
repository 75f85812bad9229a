// SPDX-License-Identifier: Apache-2.0
// NVML's event sets: the only events here are injected Xids.
#include <unistd.h>

#include "nvml/nvml.h"
#include "nvml/state.h"

using namespace simgpu::nvml;

struct nvmlEventSet_st {
  static constexpr int kDevices = 8;
  unsigned long long types[kDevices] = {};
  int reported[kDevices] = {};
};

namespace {

// The first watched device with an Xid that this set has not reported yet.
bool NextEvent(nvmlEventSet_t set, nvmlEventData_t* out) {
  for (int i = 0; i < nvmlEventSet_st::kDevices; ++i) {
    const int xid = Xid(i);
    if ((set->types[i] & nvmlEventTypeXidCriticalError) == 0 || xid == 0 ||
        set->reported[i] == xid) {
      continue;
    }
    set->reported[i] = xid;
    *out = {DeviceAt(static_cast<unsigned>(i)), nvmlEventTypeXidCriticalError,
            static_cast<unsigned long long>(xid), ~0U, ~0U};
    return true;
  }
  return false;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* out) {
  if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *out = new nvmlEventSet_st;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  delete set;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device,
                                      unsigned long long types,
                                      nvmlEventSet_t set) {
  const nvmlReturn_t ready = Ready(device);
  if (ready != NVML_SUCCESS) return ready;
  if (set == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  set->types[device->index] |= types;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device,
                                              unsigned long long* out) {
  return Give(device, out, 0ULL + nvmlEventTypeXidCriticalError);
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* out,
                                 unsigned timeout_ms) {
  if (set == nullptr || out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  for (unsigned waited = 0;; waited += 5) {
    if (NextEvent(set, out)) return NVML_SUCCESS;
    if (waited >= timeout_ms) return NVML_ERROR_TIMEOUT;
    usleep(5000);
  }
}

}  // extern "C"
