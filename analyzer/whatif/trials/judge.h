// SPDX-License-Identifier: Apache-2.0
// Judges one change: how much memory a history would have needed with it. For
// whatif.cc.
#pragma once

#include "analyzer/whatif/whatif.h"

namespace inquest::whatif {

// What the device had for these requests; kBoundless if unknown.
int64_t RoomOf(const History& history);

// The precision of a bisection: a page, or coarser for histories that take long
// to replay.
int64_t ToleranceOf(const History& history, int64_t range);

// Fills in the results of the change.
void Judge(const History& history, const Setup& setup, Change* change);

// The largest factor of a batch with which all requests are granted; 0 if even
// a 64th is too much.
double LargestBatch(const History& history, const Setup& setup);

}  // namespace inquest::whatif
