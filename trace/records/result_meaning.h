// SPDX-License-Identifier: Apache-2.0
// What the number that a CUDA call returned says of the run, for the collector
// and for importers of files that hold only numbers. Driver and runtime have
// the same numbers since CUDA 10.1. Header-only; any thread.
#pragma once

#include <cstdint>

namespace inquest::trace {

// CUDA_ERROR_OUT_OF_MEMORY and cudaErrorMemoryAllocation.
inline constexpr int64_t kCudaOutOfMemory = 2;

// Whether the result is no failure of the program.
constexpr bool IsHarmlessCudaResult(int64_t result) {
  switch (result) {
    case 0:    // success
    case 4:    // the runtime is shutting down
    case 7:    // the profiler has been started already
    case 8:    // or stopped
    case 600:  // not ready
    case 704:  // peer access is enabled already
      return true;
    default:
      return false;
  }
}

// Whether every later call into the context fails with the same result.
constexpr bool IsStickyCudaResult(int64_t result) {
  switch (result) {
    case 214:  // uncorrectable ECC error
    case 220:  // uncorrectable NVLink error
    case 226:  // contained error
    case 700:  // illegal address
    case 702:  // launch timeout
    case 710:  // assertion
    case 714:  // hardware stack error
    case 715:  // illegal instruction
    case 716:  // misaligned address
    case 717:  // invalid address space
    case 718:  // invalid program counter
    case 719:  // launch failed
    case 721:  // tensor memory leak
      return true;
    default:
      return false;
  }
}

}  // namespace inquest::trace
