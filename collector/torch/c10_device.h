// SPDX-License-Identifier: Apache-2.0
// c10::Device, as PyTorch passes it to the functions of c10_hooks.cc. Its two
// numbers have had three layouts under one mangled name:
//
//   type, index   1.6, 1.7             16 and 16 bits
//                 1.8 on               8 and 8 bits
//                 main of late 2026    8 bits, 8 of padding, 16 bits
//
// The type is in the first byte in all three (it is small and not negative).
// The names of functions that take an index show its layout:
// c10::cuda::getStreamFromPool(bool, DeviceIndex), in libc10_cuda.so since 1.0,
// ends in "Ebs" if it has 16 bits and in "Eba" if it has 8.
#pragma once

#include <cstdint>

namespace c10 {

// All four bytes, so that a hook passes on exactly what it was given. Passed in
// a register, like the two-byte structs.
struct Device {
  int8_t type;
  int8_t narrow_index;
  int16_t wide_index;
};
static_assert(sizeof(Device) == 4);

}  // namespace c10

namespace inquest::collector {

inline constexpr int8_t kC10Cuda = 1;  // c10::DeviceType::CUDA, ROCm's as well

// PyTorch's number of the device; 0 if it has none, which does not happen with
// its allocators. Detects the layout at the first call. Any thread.
int16_t C10DeviceIndex(c10::Device device);

}  // namespace inquest::collector
