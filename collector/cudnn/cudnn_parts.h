// cuDNN's libraries and whether they fit together. Each sub-library can compare
// itself with what it depends on (cudnnOpsVersionCheck in libcudnn_ops, …); the
// answers become rows of library_check. Whether the program was built for
// another cuDNN stands in the package that the caller came in, if anywhere.
#pragma once

#include <atomic>
#include <string>

#include "collector/process/modules.h"

namespace inquest::collector {

namespace internal {
extern std::atomic<bool> g_cudnn_parts_wanted;
}

// The drain has seen a part of cuDNN that was not there before.
inline void WantCudnnPartsChecked() {
  internal::g_cudnn_parts_wanted.store(true, std::memory_order_relaxed);
}
// Asks them, if wanted; they lock and allocate as cuDNN does, so this is for a
// thread of the host's that is calling cuDNN. Each is asked once.
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
