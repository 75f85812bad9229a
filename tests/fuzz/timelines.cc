// SPDX-License-Identifier: Apache-2.0
// A raw memory timeline of PyTorch's profiler.
#include "tests/fuzz/import.h"
#include "tests/fuzz/target.h"

void FuzzOne(const std::string& bytes) {
  FuzzImport("memory-timeline", bytes);
}
