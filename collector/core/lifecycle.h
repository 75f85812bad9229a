// SPDX-License-Identifier: Apache-2.0
// Loading, leaving and forking: the constructor that the dynamic linker calls,
// and the handlers at exit and around fork.
//
// The constructor is all that a process pays that never touches CUDA. Where the
// library is preloaded it points CUDA_INJECTION64_PATH and
// NVTX_INJECTION64_PATH at itself unless they are set; then it leaves them and
// says so in `coverage`.
#pragma once

#include <string>

namespace inquest::collector {

// The path of this library, empty when it cannot be told.
const std::string& OwnPath();
// Preloaded: the process's first definition of a hook is ours. Without that
// there is CUPTI and NVTX but no hooks.
bool IsPreloaded();

// From the beginning of exit on: libraries may have run their destructors.
bool IsExiting();
void RegisterExitHandlers();

// How CUDA and NVTX find their tools.
inline constexpr const char* kCudaInjection = "CUDA_INJECTION64_PATH";
inline constexpr const char* kNvtxInjection = "NVTX_INJECTION64_PATH";
// Empty where that variable names this library, else what it names instead.
std::string InjectionState(const char* variable);

}  // namespace inquest::collector
