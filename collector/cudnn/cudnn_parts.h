// SPDX-License-Identifier: Apache-2.0
// Checks whether cuDNN's libraries fit together. Each sub-library can check its
// version against those it depends on (cudnnOpsVersionCheck in libcudnn_ops,
// …); the results become rows of library_check. For which cuDNN the calling
// library was built, only its Python package may say.
#pragma once

#include <atomic>
#include <string>

#include "collector/process/modules.h"

namespace inquest::collector {

namespace internal {
extern std::atomic<bool> g_cudnn_parts_check_requested;
}

// Background thread: another part of cuDNN was loaded.
inline void RequestCudnnPartsCheck() {
  internal::g_cudnn_parts_check_requested.store(true,
                                                std::memory_order_relaxed);
}
// Calls the version check of each part once. The checks lock and allocate
// inside cuDNN, so call this only in a host thread that is calling cuDNN.
void CheckCudnnParts();
inline void CheckNewCudnnParts() {
  if (internal::g_cudnn_parts_check_requested.load(std::memory_order_relaxed)) {
    CheckCudnnParts();
  }
}
void ForgetCudnnParts();  // in a forked child

// The release of cuDNN, as 9.1.0, that the Python package of this library pins
// (Requires-Dist: nvidia-cudnn-cu12==9.1.0.70 in its METADATA, as in PyTorch's
// wheels). Empty if there is no package or it pins none.
std::string CudnnRequiredBy(const std::string& library);

}  // namespace inquest::collector
