// SPDX-License-Identifier: Apache-2.0
// Journal records of devices, as the driver and NVML report them. Fields and
// their units are those of schema.sql; an empty text or kNoNumber is NULL
// there. Their order is part of the journal's format: append only.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/records/codec.h"
#include "trace/records/record_kinds.h"

namespace inquest::trace {

struct DeviceRecord {
  static constexpr RecordKind kKind = RecordKind::kDevice;
  int64_t ordinal = 0, total_bytes = 0;
  int64_t cuda_driver_version = kNoNumber, cuda_runtime_version = kNoNumber;
  std::string_view name, uuid, pci, compute_capability, driver_version;
  template <typename F>
  void Fields(F&& f) {
    f(ordinal), f(total_bytes), f(cuda_driver_version);
    f(cuda_runtime_version), f(name), f(uuid), f(pci), f(compute_capability);
    f(driver_version);
  }
};

struct DeviceMemoryRecord {
  static constexpr RecordKind kKind = RecordKind::kDeviceMemory;
  int64_t time_ns = 0, device = 0, free_bytes = 0, total_bytes = 0;
  std::string_view reason;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(device), f(free_bytes), f(total_bytes), f(reason);
  }
};

struct DeviceProcessRecord {
  static constexpr RecordKind kKind = RecordKind::kDeviceProcess;
  int64_t time_ns = 0, device = 0, pid = 0, used_bytes = kNoNumber;
  std::string_view name, reason;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(device), f(pid), f(used_bytes), f(name), f(reason);
  }
};

struct DeviceEventRecord {
  static constexpr RecordKind kKind = RecordKind::kDeviceEvent;
  int64_t time_ns = 0, device = -1, value = 0;
  std::string_view kind, text;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(device), f(value), f(kind), f(text);
  }
};

}  // namespace inquest::trace
