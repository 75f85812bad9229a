// SPDX-License-Identifier: Apache-2.0
// Finds out what an address is: device memory, a mapped or imported range,
// pinned or managed host memory, or nothing the driver knows. Keeps the table
// of all that is not in a device's own address space.
//
// Used by the copies, the launch check, cuPointerGetAttribute and the frees.
// Sizes are bytes. Thread-safe.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <optional>

#include "core/device.h"

namespace simgpu::driver {

enum class Kind {
  kUnknown,     // pageable host memory, or nowhere
  kDevice,      // cuMemAlloc and its kin, with contents
  kMapped,      // cuMemMap or an imported IPC range, without contents
  kHost,        // cuMemHostAlloc
  kRegistered,  // cuMemHostRegister
  kManaged,     // cuMemAllocManaged
};

struct Place {
  Kind kind = Kind::kUnknown;
  Range range;
  Device* device = nullptr;  // null for host memory
  unsigned flags = 0;
};

Place Locate(uint64_t address);

// The table of ranges outside the devices; `range` overlaps none present.
void AddPlace(const Place& place);
// Removes the range that starts at `address` and is of this kind.
std::optional<Place> RemovePlace(uint64_t address, Kind kind);

inline bool OnHost(Kind kind) {
  return kind == Kind::kUnknown || kind == Kind::kHost ||
         kind == Kind::kRegistered || kind == Kind::kManaged;
}

// True when a kernel may access the address.
inline bool OnDevice(Kind kind) {
  return kind != Kind::kUnknown;
}

}  // namespace simgpu::driver
