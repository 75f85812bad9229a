// The subscription to CUPTI's callbacks (cupti_callbacks.h): begun once, when
// CUDA starts us, and lent to the host's own profiler.
//
// All runtime calls are watched but those that a program makes all the time
// and that cannot fail in a way that matters (kUnwatched); of the driver's,
// memory, contexts, modules, launches, copies and synchronisation. A driver
// call that fails inside a runtime call is told as the runtime call's failure.
#pragma once

namespace inquest::collector {

// The host wants to be CUPTI's subscriber; and: it no longer is.
void YieldCupti();
void ResumeCupti();
// The same, half a second from now, by the background thread.
void ResumeCuptiSoon();

}  // namespace inquest::collector
