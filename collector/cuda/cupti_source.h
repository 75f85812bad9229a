// SPDX-License-Identifier: Apache-2.0
// The subscription to CUPTI's callbacks (cupti_callbacks.h): started once, when
// CUDA loads us, and suspended while the host's own profiler is subscribed.
//
// Watches all runtime calls except frequent ones that cannot fail in a way that
// matters (kUnwatched), and the driver's calls for memory, contexts, modules,
// launches, copies and synchronisation. A driver call that fails inside a
// runtime call is recorded as a failure of the runtime call.
#pragma once

namespace inquest::collector {

// The host is about to subscribe to CUPTI; it has unsubscribed.
void YieldCupti();
void ResumeCupti();
// Resumes in half a second, in the background thread.
void ResumeCuptiSoon();

}  // namespace inquest::collector
