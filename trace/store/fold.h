// SPDX-License-Identifier: Apache-2.0
// Makes room in a trace: removes its oldest memory events from memory_event and
// adds their totals to the checkpoint (schema.sql), through the same ledger
// with which the analyzer replays them. Called by TraceWriter in a separate
// transaction, a bounded number of events at a time, so that a kill at any
// moment leaves the trace as it was before or after a step. Memory is bounded
// by the call stacks that the step's events name, not by what is live.
//
// It loses the rows themselves, heap maps at folded refusals (their figures
// stay), and the joint peak of call stacks that the analyzer later finds to be
// one site.
#pragma once

#include <cstdint>

#include "base/database.h"
#include "base/status.h"

namespace inquest::trace {

// The newest events are never folded: the end of a step before them may not
// have been recorded yet.
inline constexpr int64_t kNeverFolded = 1000;
// How many failed events are kept as rows: the first ones.
inline constexpr int64_t kMaxFailedEvents = 10'000;

struct Folded {
  int64_t events = 0;
  int64_t failed_dropped = 0;  // failed events that were only counted
};

// Folds up to `limit` of the oldest events.
Expected<Folded> FoldMemoryEvents(Database* db, int64_t limit);

}  // namespace inquest::trace
