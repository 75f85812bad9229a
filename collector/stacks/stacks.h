// SPDX-License-Identifier: Apache-2.0
// Call stacks of the program: native ones as return addresses, unwound with the
// compiler's tables (fast_unwind.h or, if that gives up, a private copy of the
// compiler's unwinder), and Python's frames (python/thread_frames.h). Equal
// stacks share an id; their frames go into the journal once. Frames of the
// collector are left out. A library without unwind tables ends its native
// stacks early. Any thread, bounded depth (trace/records/records.h).
#pragma once

#include <cstdint>

namespace inquest::collector {

// The id of the caller's stack; 0 if stacks are off, too many different ones
// were seen (counted as loss), or there are no frames.
uint32_t CaptureStack();
// The same with Python's frames only, or the native ones if there are none: for
// frequent calls.
uint32_t CaptureBriefStack();

}  // namespace inquest::collector
