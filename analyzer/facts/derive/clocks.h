// SPDX-License-Identifier: Apache-2.0
// Relates the clocks of a job's nodes. Logs of several ranks are stamped by
// several clocks, and half a minute between two of them turns cause and
// consequence around. What both must have seen ties two clocks: the same
// training step, which ranks that train together end together, and the same
// collective that timed out.
//
// The clocks are a graph: nodes are hosts (or, where no host is known, logs),
// edges the events that two have in common. Starting from the clock with most
// steps, each further clock is tied to those already tied, first by steps, then
// by collectives; the offset is the median of the differences, the uncertainty
// their spread plus what the kind of event leaves open (a step's length, the
// interval of the watchdog). Fills the fact `clock`; log_event.clock_offset and
// clock_error follow from it.
//
// A single clock, and logs of which no rank or host is known, are left as they
// are. A clock that nothing ties is taken to be right within kUntied.
#pragma once

#include <cstdint>

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

inline constexpr int64_t kUntied = 60'000'000'000;  // nanoseconds

Status RelateClocks(Store* store);

}  // namespace inquest::facts
