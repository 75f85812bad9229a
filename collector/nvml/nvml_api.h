// SPDX-License-Identifier: Apache-2.0
// NVML's entry points, found in the driver's library at run time. Declared here
// because the toolkit's nvml.h is a separate package: names, numbers and
// layouts are from NVIDIA's NVML API reference. Background thread only.
#pragma once

#include <string>

namespace inquest::collector::nvml {

using Device = struct NvmlDeviceOpaque*;
using EventSet = struct NvmlEventSetOpaque*;
using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kInsufficientSize = 7;
inline constexpr Result kGpuIsLost = 15;
inline constexpr unsigned long long kNotAvailable = ~0ull;

struct Memory {  // nvmlMemory_t, bytes
  unsigned long long total, free, used;
};
struct ProcessInfo {  // nvmlProcessInfo_t as of the _v2 and _v3 calls
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};
struct EventData {  // nvmlEventData_t
  Device device;
  unsigned long long type, data;
  unsigned gpu_instance;
  unsigned compute_instance;
};
inline constexpr unsigned long long kEventDoubleBitEcc = 0x2;
inline constexpr unsigned long long kEventXid = 0x8;
inline constexpr int kUncorrectedErrors = 1;  // nvmlMemoryErrorType_t
inline constexpr int kSinceDriverLoad = 0;    // NVML_VOLATILE_ECC

// Functions that an older or stripped library does not have are null.
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
  Result (*new_events)(EventSet*) = nullptr;
  Result (*supported_events)(Device, unsigned long long*) = nullptr;
  Result (*watch)(Device, unsigned long long, EventSet) = nullptr;
  Result (*next_event)(EventSet, EventData*, unsigned timeout_ms) = nullptr;
  Result (*ecc_errors)(Device, int type, int counter,
                       unsigned long long*) = nullptr;
};

// Opens the library and starts NVML. Returns "" or what failed. The library
// stays open: it may not be closed while NVML runs.
std::string Load(Api* api);

}  // namespace inquest::collector::nvml
