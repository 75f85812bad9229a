// SPDX-License-Identifier: Apache-2.0
// Host memory the driver hands out: pinned and managed. Used by driver/memory
// to free managed pointers, which cuMemFree takes too. Thread-safe.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace simgpu::driver {

// Frees a cuMemAllocManaged block; CUDA_ERROR_INVALID_VALUE if there is none at
// this address.
CUresult FreeManaged(uint64_t address);

}  // namespace simgpu::driver
