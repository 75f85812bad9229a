// SPDX-License-Identifier: Apache-2.0
// Whether a thread of the host has just begun and may be about to make its
// first call: of such a one no record tells (recent_callers.h). Reads
// /proc/self/task.
#pragma once

namespace inquest::collector {

// Of threads other than the caller and the drain's: one that began within the
// last tenth of a second, or within two and is running or about to. Idle pools,
// which most programs have, are neither.
bool IsAThreadNew();

}  // namespace inquest::collector
