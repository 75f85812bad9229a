// SPDX-License-Identifier: Apache-2.0
// Versions of the main library and, through their own files, of the
// sub-libraries, and whether they agree. Used by cudnn/handle.cc and the
// functions of each family. Any thread.
#pragma once

#include <cudnn.h>

#include <cstddef>

namespace simgpu::cudnn {

// SIMGPU_CUDNN_VERSION, or that of the headers, as 90100 for 9.1.0.
size_t MainVersion();

// Loads libcudnn_NAME.so.9 ("graph", "ops", "cnn", "adv") and calls its version
// check. `reason` gets a text that is never freed.
cudnnStatus_t CheckSubLibrary(const char* name, const char** reason);

}  // namespace simgpu::cudnn
