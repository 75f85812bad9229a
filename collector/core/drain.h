// SPDX-License-Identifier: Apache-2.0
// The background thread: moves records from the journal into the trace in
// batches and does the slow work of sources (libraries, NVML). It is named
// "inquest", blocks all signals and wakes up four times a second when idle. One
// per session.
//
// While the trace cannot be written it tries again four times a second, and the
// records stay in the journal.
#pragma once

#include "collector/core/session.h"

namespace inquest::collector {

bool StartDrain(Session* session);
// Ends the session's thread after a last batch; true if the trace is complete
// within `timeout_ms`. Called once, at exit.
bool StopDrain(int timeout_ms);
// Wakes the thread because there is work; async-signal-safe.
void WakeDrain();
// The same for producers that find the ring half full: only a load while the
// thread is awake. May miss a thread that is about to sleep; the next producer
// wakes it.
void WakeDrainForRoom();
// After a failed call: has all sources sampled. Waits for the sample after the
// first few failures (a second after the first one, then a tenth); later
// failures are sampled at most once a second, without waiting.
void RequestFailureSample();

// The last sample, at exit. Waits a tenth of a second at most.
void TakeEndSample();
// Call before emitting from the background thread: it cannot wait for itself
// when the journal is full, so it drains first when the journal is half full.
void MakeRoom();

// Keeps the thread out of SQLite and the dynamic loader while the process
// forks. False when it did not stop within two seconds; the child then does not
// record.
bool HoldDrainForFork();
void ReleaseDrainAfterFork();
void ForgetDrainInChild();

}  // namespace inquest::collector
