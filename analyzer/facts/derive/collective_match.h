// SPDX-License-Identifier: Apache-2.0
// Whether the ranks in one collective called the same thing. For
// collective_waits.cc.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/facts/derive/collective_waits.h"

namespace inquest::facts {

struct CollectiveMismatch {
  std::string differs;    // operation, type or size; empty: nothing does
  std::set<int64_t> odd;  // ranks that differ from most; all if none prevails
  std::string expected, found;
  const CollectiveCall* usual = nullptr;  // as most had it
};

// `calls` of each rank in their order, which are several where they were
// coalesced. `whole`: all members of the group are among them.
CollectiveMismatch MatchCalls(
    const std::map<int64_t, std::vector<const CollectiveCall*>>& calls,
    bool whole);

}  // namespace inquest::facts
