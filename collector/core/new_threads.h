// SPDX-License-Identifier: Apache-2.0
// Whether a thread of the host has just begun and may be about to make its
// first call: of such a one no record tells (recent_callers.h). Reads
// /proc/self/task.
#pragma once

#include <cstdint>

namespace inquest::collector {

// Of threads other than the caller and the drain's, which began after
// `since_ns` (trace::MonotonicNs): one of the last tenth of a second, or of the
// last two if it is running or about to. Idle pools, which most programs have,
// are neither.
bool IsAThreadNew(int64_t since_ns);

}  // namespace inquest::collector
