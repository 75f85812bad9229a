// SPDX-License-Identifier: Apache-2.0
// Judges one change: what a history would have needed with it. For whatif.cc.
#pragma once

#include "analyzer/whatif/whatif.h"

namespace inquest::whatif {

// What the device had for these requests; kBoundless if it is not known.
int64_t RoomOf(const History& history);

// How exact a bisection is: to a page, less in histories that take long to
// replay.
int64_t ToleranceOf(const History& history, int64_t range);

// Fills in the results of the change.
void Judge(const History& history, const Setup& setup, Change* change);

// The largest factor of a batch with which all requests are granted; 0 if even
// a 64th is too much.
double LargestBatch(const History& history, const Setup& setup);

}  // namespace inquest::whatif
