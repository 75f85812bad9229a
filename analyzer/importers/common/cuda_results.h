// Results of CUDA calls by their number, for importers of files that hold
// numbers only: names of the driver's and of the runtime's enum, and which of
// them end a context or are no failures at all (as the collector judges it,
// collector/core/errors.h). Numbers are those since CUDA 10.1, where both enums
// agree.
#pragma once

#include <cstdint>
#include <string>

namespace inquest::importers {

// CUDA_ERROR_OUT_OF_MEMORY and cudaErrorMemoryAllocation.
inline constexpr int64_t kCudaOutOfMemory = 2;

// CUDA_ERROR_OUT_OF_MEMORY or cudaErrorMemoryAllocation; of a number that is
// not known the number in words.
std::string CudaResultName(int64_t result, bool runtime);
bool IsStickyCudaResult(int64_t result);
bool IsHarmlessCudaResult(int64_t result);

}  // namespace inquest::importers
