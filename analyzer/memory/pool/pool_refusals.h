// SPDX-License-Identifier: Apache-2.0
// The requests that a framework's allocator refused for good. For the facts
// held_site and earlier_run.
#pragma once

#include <cstdint>
#include <map>

#include "analyzer/facts/store/store.h"

namespace inquest::memory {

struct PoolRefusal {
  int64_t id = 0;    // framework_oom.id
  int64_t time = 0;  // in the trace's clock
  int64_t bytes = 0;
  int64_t stack = 0;
};

// The last one of each device that the program did not recover from, by device.
// Call after the steps were written (framework_oom.survived).
Expected<std::map<int, PoolRefusal>> LastPoolRefusals(facts::Store* store,
                                                      int process);

}  // namespace inquest::memory
