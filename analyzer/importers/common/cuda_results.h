// SPDX-License-Identifier: Apache-2.0
// Results of CUDA calls, for importers of files that hold only their numbers:
// their names in the driver's and in the runtime's enum, which of them are
// sticky (leave the context unusable), and which are not failures at all (as
// the collector decides, collector/core/errors.h). Numbers are those since CUDA
// 10.1, where both enums agree.
#pragma once

#include <cstdint>
#include <string>

namespace inquest::importers {

// CUDA_ERROR_OUT_OF_MEMORY and cudaErrorMemoryAllocation.
inline constexpr int64_t kCudaOutOfMemory = 2;

// CUDA_ERROR_OUT_OF_MEMORY or cudaErrorMemoryAllocation; "error 1234" for an
// unknown number.
std::string CudaResultName(int64_t result, bool runtime);
bool IsStickyCudaResult(int64_t result);
bool IsHarmlessCudaResult(int64_t result);

}  // namespace inquest::importers
