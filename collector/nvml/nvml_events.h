// SPDX-License-Identifier: Apache-2.0
// Xid errors and uncorrected memory errors as NVML tells them, for those who
// may not read the kernel's log. Background thread only, like all of NVML.
#pragma once

#include "collector/nvml/nvml_api.h"

namespace inquest::collector::nvml {

// Begins to watch the devices, by CUDA ordinal; null: not to be watched. The
// devices' counts of uncorrected errors at this moment are what later ones are
// held against. Says in `coverage` (nvml-events) what could not be had.
void WatchEvents(const Api& api, const Device* devices, int count);
// Takes what has come since the last call, a few at most; does not wait.
void TakeEvents();
// Asks for the counts of uncorrected errors; a rise is an event.
void SampleErrorCounts();
// After a fork: nothing is watched any more.
void ForgetEvents();

}  // namespace inquest::collector::nvml
