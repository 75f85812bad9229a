// SPDX-License-Identifier: Apache-2.0
// Load, exit and fork: the constructor that the dynamic linker calls, and the
// handlers at exit and around fork.
//
// A process that loads neither CUDA nor a framework only pays for the
// constructor and for looking at what it loads (dlopen_hook.h). If the library
// is preloaded, it points CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH at
// itself; if they are set already, it leaves them and says so in `coverage`.
#pragma once

#include <string>

namespace inquest::collector {

// What the constructor does. The constructors of other libraries may run before
// ours: a hook that sees one of them turn to CUDA calls this.
void EnsureLoaded();

// The path of this library, empty if unknown.
const std::string& OwnPath();
// Preloaded: the process's first definition of a hook is ours. Otherwise CUPTI
// and NVTX work, but no hooks.
bool IsPreloaded();

// True from the beginning of exit: libraries may have run their destructors.
bool IsExiting();
void RegisterExitHandlers();

// The variables by which CUDA and NVTX find their tools.
inline constexpr const char* kCudaInjection = "CUDA_INJECTION64_PATH";
inline constexpr const char* kNvtxInjection = "NVTX_INJECTION64_PATH";
// Empty if that variable names this library, else what it names instead.
std::string InjectionState(const char* variable);

}  // namespace inquest::collector
