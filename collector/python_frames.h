// The Python frames of the calling thread, innermost first, where it holds the
// GIL. Where it does not, as below ctypes.CDLL or an extension that gives the
// GIL up around its work, there are none: taking it could deadlock the host,
// whose allocator may hold a lock that the GIL's owner waits for.
//
// Only CPython's C API is used. The host's Python state stays what it was: a
// pending exception is put aside and back, the collector of garbage is kept
// from running (from 3.11 on looking at a frame makes an object), no Python
// code runs. A frame's code object is kept alive from its first sight on, so
// that its address names it for good; so at most as many are kept as the table
// of frames holds. Sub-interpreters and the time of finalization have no
// frames. Costs a few ten nanoseconds a frame once its place is known.
#pragma once

#include "trace/records.h"

namespace inquest::collector {

// Fills count and frames; both stay 0 where there is nothing to see. Deeper
// frames than the record holds are left out. A frame's record is in the journal
// when this returns, or will be as soon as another thread has come so far.
void CapturePythonFrames(trace::PythonStackRecord* record);
// In a forked child: its trace knows none of the parent's.
void ForgetPythonFrames();

}  // namespace inquest::collector
