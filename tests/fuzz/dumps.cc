// SPDX-License-Identifier: Apache-2.0
// Profiles of JAX, dumps of TensorFlow's allocator and of flight recorders:
// each reader gets all inputs, whatever they are.
#include "tests/fuzz/import.h"
#include "tests/fuzz/target.h"

void FuzzOne(const std::string& bytes) {
  for (const char* kind : {"pprof", "bfc-dump", "flight-recorder"}) {
    FuzzImport(kind, bytes);
  }
}
