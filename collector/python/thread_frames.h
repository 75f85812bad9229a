// SPDX-License-Identifier: Apache-2.0
// The Python frames of the calling thread, innermost first.
//
// They are read where they lie (python_in_place.h), which on the process's
// first thread needs no GIL: below an operator of PyTorch, ctypes.CDLL or
// another extension that gives it up there is none, and taking it could
// deadlock the host, whose allocator may hold a lock that the GIL's owner waits
// for.
//
// Where that does not work, CPython's C API is used, and only by a thread that
// holds the GIL. The host's Python state stays what it was: a pending exception
// is put aside and back, the collector of garbage is kept from running (from
// 3.11 on looking at a frame makes an object), no Python code runs. A frame's
// code object is then kept alive from its first sight on, so that its address
// names it for good; so at most as many are kept as the table of frames holds.
//
// The time of finalization has no frames, and of sub-interpreters at most those
// of the main one that called them. Costs some ten nanoseconds a frame once its
// place is known.
#pragma once

#include "trace/records/records.h"

namespace inquest::collector {

// Fills count and frames; both stay 0 where there is nothing to see. Deeper
// frames than the record holds are left out. A frame's record is in the journal
// when this returns, or will be as soon as another thread has come so far.
void CapturePythonFrames(trace::PythonStackRecord* record);
// In a forked child: its trace knows none of the parent's.
void ForgetPythonFrames();

}  // namespace inquest::collector
