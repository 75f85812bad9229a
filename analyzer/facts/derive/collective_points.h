// SPDX-License-Identifier: Apache-2.0
// Sends and receives that did not complete: which have a counterpart of another
// size, and which wait for a rank that has none. Pure computation, called by
// the waits (collective_waits.cc).
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analyzer/facts/derive/collective_waits.h"

namespace inquest::facts {

struct PointWaits {
  std::set<int64_t> held;  // ranks whose counterpart is pending, too
  std::vector<const PointToPoint*> alone;  // no counterpart is known
};

PointWaits FindPointWaits(const CollectiveRecord& record);

// Pairs of which one side sends what the other does not expect.
std::vector<CollectiveStall> ComparePoints(const CollectiveRecord& record);

// A stall in which only this operation's rank waits.
CollectiveStall StallOf(const PointToPoint& point);

// In time; those without one are last.
bool IsBefore(const PointToPoint& a, const PointToPoint& b);

}  // namespace inquest::facts
