// SPDX-License-Identifier: Apache-2.0
// Call stacks of the program: native ones as return addresses, unwound by the
// compiler's own tables (fast_unwind.h or, where that gives up, a private copy
// of the compiler's unwinder), and Python's frames (python/thread_frames.h).
// Equal stacks share an id; what they consist of goes into the journal once.
// Frames of the collector are left out. A library without unwind tables ends
// its native stacks early. Any thread, bounded depth (trace/records/records.h).
#pragma once

#include <cstdint>

namespace inquest::collector {

// The id of the caller's stack; 0 when stacks are off, or too many different
// ones were seen (counted as loss), or there is nothing to see.
uint32_t CaptureStack();
// The same of Python's frames alone, and only where there are none of the
// native ones: for what comes often.
uint32_t CaptureBriefStack();

}  // namespace inquest::collector
