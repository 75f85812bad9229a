// One change judged: what a history would have needed with it. For whatif.cc.
#pragma once

#include "analyzer/whatif/whatif.h"

namespace inquest::whatif {

// What the device had for these requests; boundless where it is not known.
int64_t RoomOf(const History& history);

// How exact a bisection is: to a page, and less in histories of which many
// replays would take long.
int64_t ToleranceOf(const History& history, int64_t range);

// Fills in what the change comes to.
void Judge(const History& history, const Setup& setup, Change* change);

// The largest factor of a batch with which all requests are granted; 0 where
// even a 64th is too much.
double LargestBatch(const History& history, const Setup& setup);

}  // namespace inquest::whatif
