// SPDX-License-Identifier: Apache-2.0
// cuInit, as programs find it through dlsym: passes the call on and keeps its
// result, because CUPTI is loaded only inside a cuInit that gets that far. What
// is linked with libcuda, or asks cuGetProcAddress, is not seen here.
#pragma once

#include <cstdint>

namespace inquest::collector {

// For dlsym: the function to answer instead of this cuInit; null if it is null.
void* InitHook(void* real);

struct InitResult {
  bool called = false;
  int32_t result = 0;
};
// Of the last call in this process. Any thread.
InitResult LastInit();

}  // namespace inquest::collector
