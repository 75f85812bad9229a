// SPDX-License-Identifier: Apache-2.0
// c10's two functions and its Device as one generation of PyTorch has them; the
// generation is C10_ERA, set by the build:
//
//   0  no sums, no report of a refusal (1.6 to 1.9)
//   1  signed sums (1.13)
//   2  unsigned sums (2.0 on)
//   3  the same with a wider Device (main of late 2026)
#pragma once

#include <cstddef>
#include <cstdint>

namespace c10 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
#if C10_ERA == 3
using DeviceIndex = int16_t;
#else
using DeviceIndex = int8_t;
#endif
struct Device {
  DeviceType type;
  DeviceIndex index;
};

#if C10_ERA == 0
void reportMemoryUsageToProfiler(void* block, int64_t bytes, Device device);
#else
#if C10_ERA == 1
using Sum = int64_t;
#else
using Sum = size_t;
#endif
void reportMemoryUsageToProfiler(void* pointer, int64_t bytes, Sum allocated,
                                 Sum reserved, Device device);
void reportOutOfMemoryToProfiler(int64_t bytes, Sum allocated, Sum reserved,
                                 Device device);
#endif

}  // namespace c10
