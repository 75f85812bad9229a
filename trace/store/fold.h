// SPDX-License-Identifier: Apache-2.0
// Makes room in a trace: takes its oldest memory events out of memory_event and
// adds what they came to to the checkpoint (schema.sql), through the same
// ledger by which the analyzer replays them. Called by TraceWriter in a
// transaction of its own, a bounded number of events at a time, so that a kill
// at any moment finds the trace before or after a step. Memory is bounded by
// the call stacks that the step's events name, not by what is live.
//
// What is lost by it: the rows themselves; heap maps at folded refusals (their
// figures stay); the joint peak of call stacks that the analyzer later finds to
// be one site.
#pragma once

#include <cstdint>

#include "base/database.h"
#include "base/status.h"

namespace inquest::trace {

// The newest events are never folded: the end of a step that they lie behind
// may still be on its way.
inline constexpr int64_t kNeverFolded = 1000;
// Failed events are kept as rows, the first so many.
inline constexpr int64_t kMaxFailedEvents = 10'000;

struct Folded {
  int64_t events = 0;
  int64_t failed_dropped = 0;  // failed ones that were only counted
};

// Folds up to `limit` of the oldest events.
Expected<Folded> FoldMemoryEvents(Database* db, int64_t limit);

}  // namespace inquest::trace
