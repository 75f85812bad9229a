// SPDX-License-Identifier: Apache-2.0
// The list of all exported driver functions, written by generate_api.py, for
// cuGetProcAddress. `since` is the CUDA version that introduced this form.
#pragma once

#include <span>

namespace simgpu::driver {

struct ExportedFunction {
  const char* base;  // the name without version and stream suffix
  void* address;
  int since;
  bool per_thread;
};

std::span<const ExportedFunction> ExportList();

}  // namespace simgpu::driver
