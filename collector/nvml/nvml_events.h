// SPDX-License-Identifier: Apache-2.0
// Records Xid errors and uncorrected memory errors from NVML, for users who may
// not read the kernel's log. Background thread only, like all of NVML.
#pragma once

#include "collector/nvml/nvml_api.h"

namespace inquest::collector::nvml {

// Begins to watch the devices, by CUDA ordinal; null: do not watch. Later
// counts of uncorrected errors are compared with those at this moment. Says in
// `coverage` (nvml-events) what is not available.
void WatchEvents(const Api& api, const Device* devices, int count);
// Records the events since the last call, a limited number; does not wait.
void TakeEvents();
// Reads the counts of uncorrected errors; an increase is an event.
void SampleErrorCounts();
// After a fork: nothing is watched any more.
void ForgetEvents();

}  // namespace inquest::collector::nvml
