// SPDX-License-Identifier: Apache-2.0
// A memory snapshot of PyTorch: pickle, shapes, blocks that were live before.
#include "tests/fuzz/import.h"
#include "tests/fuzz/target.h"

void FuzzOne(const std::string& bytes) {
  FuzzImport("torch-snapshot", bytes);
}
