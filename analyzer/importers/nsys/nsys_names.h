// SPDX-License-Identifier: Apache-2.0
// What names and numbers in an Nsight Systems export mean for a trace. Pure
// functions, for nsys_trace.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/records/event.h"

namespace inquest::importers {

// By CUDA_MEMOPR_MEMORY_KIND, as the export's own table names it.
trace::MemoryKind MemoryKindOf(int64_t kind, bool in_pool);
// cudaMalloc_v3020 and cudaMalloc_ptsz_v7000 are cudaMalloc; the versions of
// the driver's functions are part of their names.
std::string FunctionName(const std::string& name);
bool IsRuntimeFunction(std::string_view function);
bool IsAllocation(std::string_view function);
bool IsOfHostMemory(std::string_view function);

}  // namespace inquest::importers
