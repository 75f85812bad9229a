// The background thread: moves records from the journal into the trace in
// batches and does what is slow (libraries, NVML). Named "inquest", all signals
// blocked, idle at four wake-ups a second. One per session.
//
// While the trace cannot be written it tries again four times a second, and the
// records stay in the journal.
#pragma once

#include "collector/core/session.h"

namespace inquest::collector {

bool StartDrain(Session* session);
// Ends the session's thread after a last batch; true when the trace is whole
// within `timeout_ms`. Called once, at exit.
bool StopDrain(int timeout_ms);
// Work is waiting; async-signal-safe.
void WakeDrain();
// The same for producers that find the ring half full: as cheap as a load while
// it is awake. May miss a drain that is just going to sleep; the next producer
// will not.
void WakeDrainForRoom();
// A failure was seen: have NVML and the list of libraries looked at. Waits up
// to a tenth of a second for the first few, then at most one a second is taken.
void RequestFailureSample();

// The last look at the GPUs, at exit; waits for it no longer than that.
void TakeEndSample();
// For what the drain's own thread emits: it cannot wait for itself when the
// journal is full, so it drains first when that is near.
void MakeRoom();

// Keeps the thread out of SQLite while the process forks. False when it could
// not be had in half a second; the child then does not record.
bool HoldDrainForFork();
void ReleaseDrainAfterFork();
void ForgetDrainInChild();

}  // namespace inquest::collector
