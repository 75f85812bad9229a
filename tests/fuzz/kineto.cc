// SPDX-License-Identifier: Apache-2.0
// A trace of PyTorch's profiler: valid and broken JSON, events, their order.
#include "tests/fuzz/import.h"
#include "tests/fuzz/target.h"

void FuzzOne(const std::string& bytes) {
  FuzzImport("kineto", bytes);
}
