// SPDX-License-Identifier: Apache-2.0
#include "nvml/state.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "abi/callback_state.h"
#include "core/config.h"
#include "core/device_heap.h"
#include "core/fault.h"

namespace simgpu::nvml {
namespace {

std::atomic<int> g_started{0};

// The driver's table when the program itself loaded the driver: NVML alone
// never does, on a real machine it talks to the kernel.
const PrivateTable* Driver() {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  using Getter = CUresult (*)(const void**, const CUuuid*);
  auto* get = reinterpret_cast<Getter>(dlsym(library, "cuGetExportTable"));
  const void* table = nullptr;
  if (get != nullptr) get(&table, &kPrivateTableId);
  dlclose(library);
  return static_cast<const PrivateTable*>(table);
}

}  // namespace

nvmlReturn_t Start() {
  ++g_started;
  StartFaultClock();
  return NVML_SUCCESS;
}

nvmlReturn_t Stop() {
  if (g_started.load() == 0) return NVML_ERROR_UNINITIALIZED;
  --g_started;
  return NVML_SUCCESS;
}

nvmlReturn_t Initialised() {
  return g_started.load() > 0 ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t Ready(nvmlDevice_t device) {
  if (g_started.load() == 0) return NVML_ERROR_UNINITIALIZED;
  if (device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return Xid(device->index) == 79 ? NVML_ERROR_GPU_IS_LOST : NVML_SUCCESS;
}

nvmlDevice_t DeviceAt(unsigned index) {
  static std::array<nvmlDevice_st, 8> devices = [] {
    std::array<nvmlDevice_st, 8> made;
    for (int i = 0; i < 8; ++i) made[static_cast<size_t>(i)].index = i;
    return made;
  }();
  const auto count = static_cast<unsigned>(GetConfig().devices);
  return index < count && index < devices.size() ? &devices[index] : nullptr;
}

uint64_t TotalBytes() {
  return GetConfig().memory / kPage * kPage;
}

std::vector<ProcessUsage> Processes(int device) {
  std::vector<ProcessUsage> list = SharedUsage::Get().List(device);
  const PrivateTable* driver = Driver();
  if (!SharedUsage::Get().active() && driver != nullptr) {
    const uint64_t own = driver->used_bytes(device);
    if (own > 0) list.push_back({static_cast<unsigned>(getpid()), own, ""});
  }
  if (device == 0) {
    for (const OtherProcess& other : GetConfig().others) {
      list.push_back({other.pid, other.bytes, other.name});
    }
  }
  return list;
}

int Xid(int device) {
  const PrivateTable* driver = Driver();
  const int xid = driver != nullptr ? driver->active_xid(device) : 0;
  return xid != 0 ? xid : ActiveXid(device);
}

}  // namespace simgpu::nvml
