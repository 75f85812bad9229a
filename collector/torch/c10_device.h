// SPDX-License-Identifier: Apache-2.0
// c10::Device, as PyTorch passes it to the functions of c10_hooks.cc. Its two
// numbers have had three layouts under one mangled name:
//
//   type, index   1.6, 1.7             16 and 16 bits
//                 1.8 on               8 and 8 bits
//                 main of late 2026    8 bits, 8 of padding, 16 bits
//
// The type is in the first byte in all three (it is small and not negative).
// Which layout the index has shows in the names of functions that take one:
// c10::cuda::getStreamFromPool(bool, DeviceIndex), in libc10_cuda.so since 1.0,
// ends in "Ebs" where it has 16 bits and in "Eba" where it has 8.
#pragma once

#include <cstdint>

namespace c10 {

// All four bytes, so that what a hook passes on is what it was given. Passed in
// a register, as the structs of two bytes are.
struct Device {
  int8_t type;
  int8_t narrow_index;
  int16_t wide_index;
};
static_assert(sizeof(Device) == 4);

}  // namespace c10

namespace inquest::collector {

inline constexpr int8_t kC10Cuda = 1;  // c10::DeviceType::CUDA, ROCm's as well

// As PyTorch numbers the process's devices; 0 where it says no number, which
// its allocators never do. Looks for the layout at the first call. Any thread.
int16_t C10DeviceIndex(c10::Device device);

}  // namespace inquest::collector
