// SPDX-License-Identifier: Apache-2.0
// Injected faults at run time: counts the calls that SIMGPU_FAULT names and
// decides when one must fail, and which Xid a device has by now.
//
// Called by every stand-in at the entry of each API function. Without rules
// the cost is one load. Each library counts its own functions. Thread-safe.
#pragma once

#include <cstdint>

namespace simgpu {

struct FaultHit {
  int result = 0;       // 0: only delayed, go on
  bool sticky = false;  // the context keeps the error
  bool async = false;   // the call succeeds, the error comes later
};

// True when rules for calls exist at all.
bool CallFaultsArmed();
// Counts a call of `name`; true when a rule fires. Sleeps for delay_us.
bool HitFault(const char* name, FaultHit* hit);

// Starts the clock of after_ms; the first call counts (cuInit, nvmlInit).
void StartFaultClock();
// The Xid that `device` has by now, or 0.
int ActiveXid(int device);
// The CUresult that every call on a device with this Xid returns.
int ResultOfXid(int xid);

}  // namespace simgpu
