// SPDX-License-Identifier: Apache-2.0
// Checks whether cuDNN's libraries fit together. Each sub-library can check its
// version against those it depends on (cudnnOpsVersionCheck in libcudnn_ops,
// …); the results become rows of library_check.
#pragma once

#include <atomic>

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

}  // namespace inquest::collector
