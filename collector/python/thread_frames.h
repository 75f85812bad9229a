// SPDX-License-Identifier: Apache-2.0
// The Python frames of the calling thread, innermost first.
//
// They are read in place (python_in_place.h), which needs no GIL on the
// process's first thread: an operator of PyTorch, ctypes.CDLL or another
// extension may have released it, and taking it could deadlock the host, whose
// allocator may hold a lock that the GIL's owner waits for.
//
// If that does not work, CPython's C API is used, and only by a thread that
// holds the GIL. The host's Python state stays unchanged: a pending exception
// is saved and restored, garbage collection is suspended (since 3.11 reading a
// frame creates an object), no Python code runs. A frame's code object is then
// kept alive once it has been seen, so that its address identifies it for good;
// at most as many are kept as the table of frames holds.
//
// There are no frames during finalization, and for sub-interpreters at most
// those of the main interpreter that called them. Costs some ten nanoseconds a
// frame once its place is known.
#pragma once

#include "trace/records/records.h"

namespace inquest::collector {

// Fills count and frames; both stay 0 if there are none. Frames beyond the
// record's size are left out. A frame's record is in the journal when this
// returns, or another thread is about to write it.
void CapturePythonFrames(trace::PythonStackRecord* record);
// In a forked child, whose trace has none of the parent's records.
void ForgetPythonFrames();

}  // namespace inquest::collector
