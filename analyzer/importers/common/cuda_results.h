// SPDX-License-Identifier: Apache-2.0
// Names of CUDA's results, for importers of files that hold only numbers
// (trace/records/result_meaning.h says what they mean).
#pragma once

#include <cstdint>
#include <string>

namespace inquest::importers {

// CUDA_ERROR_OUT_OF_MEMORY or cudaErrorMemoryAllocation; "error 1234" for an
// unknown number.
std::string CudaResultName(int64_t result, bool runtime);

}  // namespace inquest::importers
