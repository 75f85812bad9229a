// The CUPTI callbacks: memory as the driver hands it out, contexts, and calls
// of the driver and runtime that fail. Subscribes once, when CUDA starts us.
//
// Callbacks run in the thread that made the call. They read parameters, append
// to the journal and return; only after failures and at the first context do
// they ask the driver anything.
//
// All runtime calls are watched but those that a program makes all the time
// and that cannot fail in a way that matters (kUnwatched); of the driver's,
// memory, contexts, modules, launches, copies and synchronisation. A driver
// call that fails inside a runtime call is told as the runtime call's failure.
#pragma once

namespace inquest::collector {

void StartCupti();
// The host wants to be CUPTI's subscriber; and: it no longer is.
void YieldCupti();
void ResumeCupti();
// The same, half a second from now, by the drain.
void ResumeCuptiSoon();
void ResumeCuptiIfDue();

}  // namespace inquest::collector
