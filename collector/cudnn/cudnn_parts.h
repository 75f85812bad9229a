// SPDX-License-Identifier: Apache-2.0
// cuDNN's libraries and whether they fit together. Each sub-library can compare
// itself with what it depends on (cudnnOpsVersionCheck in libcudnn_ops, …); the
// answers become rows of library_check. Only the Python package of the calling
// library may say for which cuDNN it was built.
#pragma once

#include <atomic>
#include <string>

#include "collector/process/modules.h"

namespace inquest::collector {

namespace internal {
extern std::atomic<bool> g_cudnn_parts_wanted;
}

// Background thread: another part of cuDNN was loaded.
inline void WantCudnnPartsChecked() {
  internal::g_cudnn_parts_wanted.store(true, std::memory_order_relaxed);
}
// Calls the parts' checks, each once. They lock and allocate inside cuDNN, so
// call this only in a thread of the host that is calling cuDNN.
void CheckCudnnParts();
inline void CheckNewCudnnParts() {
  if (internal::g_cudnn_parts_wanted.load(std::memory_order_relaxed)) {
    CheckCudnnParts();
  }
}
void ForgetCudnnParts();  // in a forked child

// The release of cuDNN that the Python package of this library asks for exactly
// (Requires-Dist: nvidia-cudnn-cu12==9.1.0.70 in its METADATA, as PyTorch's
// wheels have it), as 9.1.0. Empty where there is no package or it takes any.
std::string CudnnRequiredBy(const std::string& library);

}  // namespace inquest::collector
