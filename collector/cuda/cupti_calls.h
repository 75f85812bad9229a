// SPDX-License-Identifier: Apache-2.0
// Which calls CUPTI reports to us, besides those that allocate or free memory.
// Generated at build time from CUPTI's headers by generate_cupti_calls.py,
// which explains the choice. Each list ends with 0.
#pragma once

#include <cstdint>

namespace inquest::collector {

extern const uint32_t kWatchedCalls[];  // of the driver domain
extern const uint32_t kUnwatched[];     // of the runtime domain

}  // namespace inquest::collector
