// SPDX-License-Identifier: Apache-2.0
// An export of Nsight Systems: an untrusted database.
#include "tests/fuzz/import.h"
#include "tests/fuzz/target.h"

void FuzzOne(const std::string& bytes) {
  FuzzImport("nsys", bytes);
}
