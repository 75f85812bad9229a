// SPDX-License-Identifier: Apache-2.0
#include "collector/cuda/devices.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "collector/core/emit.h"
#include "collector/cuda/cuda_api.h"

namespace inquest::collector {
namespace {

constexpr uint32_t kContexts = 256;

std::atomic<int> g_count{-1};  // -1 not asked yet
pthread_mutex_t g_asking = PTHREAD_MUTEX_INITIALIZER;
// context id << 8 | device + 1; a power of two of places.
std::atomic<uint64_t> g_contexts[kContexts];

std::array<DeviceId, kMaxDevices>& Ids() {
  // Leaked on purpose: the drain may read it until the very end.
  static auto* ids = new std::array<DeviceId, kMaxDevices>;
  return *ids;
}

std::string UuidText(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x",
                  static_cast<unsigned char>(uuid.bytes[i]));
    text += digits;
  }
  return text;
}

int Attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  if (Driver().cuDeviceGetAttribute != nullptr) {
    Driver().cuDeviceGetAttribute(&value, which, device);
  }
  return value;
}

void NoteDevice(int ordinal, int runtime_version, const char* driver_version) {
  const DriverApi& api = Driver();
  CUdevice device = 0;
  if (api.cuDeviceGet == nullptr ||
      api.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS) {
    return;
  }
  char name[256] = "";
  char pci[32] = "";
  size_t total = 0;
  CUuuid uuid{};
  int driver = 0;
  if (api.cuDeviceGetName != nullptr) {
    api.cuDeviceGetName(name, sizeof name, device);
  }
  if (api.cuDeviceGetPCIBusId != nullptr) {
    api.cuDeviceGetPCIBusId(pci, sizeof pci, device);
  }
  if (api.cuDeviceTotalMem != nullptr) api.cuDeviceTotalMem(&total, device);
  DeviceId id;
  if (api.cuDeviceGetUuid != nullptr &&
      api.cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS) {
    id.uuid = UuidText(uuid);
  }
  id.pci = pci;
  // Other threads read it as soon as the count is known, so it is written once.
  if (!DevicesKnown()) Ids()[static_cast<size_t>(ordinal)] = id;
  if (api.cuDriverGetVersion != nullptr) api.cuDriverGetVersion(&driver);
  const std::string capability =
      std::to_string(
          Attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
      "." +
      std::to_string(
          Attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  trace::DeviceRecord record;
  record.ordinal = ordinal;
  record.total_bytes = static_cast<int64_t>(total);
  record.name = name;
  record.uuid = id.uuid;
  record.pci = id.pci;
  record.compute_capability = capability;
  record.driver_version = driver_version;
  if (driver > 0) record.cuda_driver_version = driver;
  if (runtime_version > 0) record.cuda_runtime_version = runtime_version;
  Emit(record);
}

}  // namespace

void NoteDevices() {
  if (g_count.load(std::memory_order_acquire) >= 0) return;
  if (Driver().cuDeviceGetCount == nullptr) return;
  if (pthread_mutex_trylock(&g_asking) != 0) return;
  int count = 0;
  if (g_count.load() < 0 && Driver().cuDeviceGetCount(&count) == CUDA_SUCCESS) {
    if (count > kMaxDevices) count = kMaxDevices;
    const int runtime_version = RuntimeVersion();
    for (int i = 0; i < count; ++i) NoteDevice(i, runtime_version, "");
    g_count.store(count, std::memory_order_release);
  }
  pthread_mutex_unlock(&g_asking);
}

void NoteDeviceDriver(int ordinal, const char* driver_version) {
  NoteDevice(ordinal, RuntimeVersion(), driver_version);
}

bool DevicesKnown() {
  return g_count.load(std::memory_order_acquire) >= 0;
}

int DeviceCount() {
  const int count = g_count.load(std::memory_order_acquire);
  return count < 0 ? 0 : count;
}

const DeviceId& DeviceAt(int ordinal) {
  return Ids()[static_cast<size_t>(ordinal)];
}

int DeviceOfContext(uint32_t context) {
  if (context == 0) return -1;
  std::atomic<uint64_t>* place = nullptr;
  for (uint32_t probe = 0; probe < 8; ++probe) {
    place = &g_contexts[(context + probe) & (kContexts - 1)];
    const uint64_t entry = place->load(std::memory_order_relaxed);
    if (entry >> 8 == context) return static_cast<int>(entry & 0xff) - 1;
    if (entry == 0) break;
  }
  CUdevice device = -1;
  if (Driver().cuCtxGetDevice == nullptr ||
      Driver().cuCtxGetDevice(&device) != CUDA_SUCCESS) {
    return -1;
  }
  uint64_t empty = 0;
  place->compare_exchange_strong(
      empty, uint64_t{context} << 8 | static_cast<uint64_t>(device + 1));
  return device;
}

namespace {

// A program that retries without end would leave a sample for each attempt.
constexpr int kSamplesInARow = 16;
constexpr int64_t kSampleGapNs = 20'000'000;
std::atomic<int> g_failure_samples{0};
std::atomic<int64_t> g_last_failure_sample{0};

bool IsSampleDue() {
  const int64_t now = MonotonicNs();
  const int64_t last = g_last_failure_sample.load(std::memory_order_relaxed);
  if (now - last > kSampleGapNs) {
    g_failure_samples.store(0, std::memory_order_relaxed);
  } else if (g_failure_samples.fetch_add(1, std::memory_order_relaxed) >=
             kSamplesInARow) {
    return false;
  }
  g_last_failure_sample.store(now, std::memory_order_relaxed);
  return true;
}

}  // namespace

void SampleCurrentDevice(int device, const char* reason) {
  size_t free_bytes = 0;
  size_t total = 0;
  if (std::strcmp(reason, "failure") == 0 && !IsSampleDue()) return;
  if (device < 0 || Driver().cuMemGetInfo == nullptr ||
      Driver().cuMemGetInfo(&free_bytes, &total) != CUDA_SUCCESS) {
    return;
  }
  Emit(trace::DeviceMemoryRecord{MonotonicNs(), device,
                                 static_cast<int64_t>(free_bytes),
                                 static_cast<int64_t>(total), reason});
}

void ForgetDevices() {
  g_count.store(-1);
  for (std::atomic<uint64_t>& context : g_contexts) context.store(0);
  pthread_mutex_init(&g_asking, nullptr);
}

}  // namespace inquest::collector
