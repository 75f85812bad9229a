// SPDX-License-Identifier: Apache-2.0
// Checks that the ranks in one collective made the same call. For
// collective_waits.cc.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/facts/derive/collective_waits.h"

namespace inquest::facts {

struct CollectiveMismatch {
  std::string differs;    // operation, type or size; empty: nothing
  std::set<int64_t> odd;  // ranks that differ from most; all if none prevails
  std::string expected, found;
  const CollectiveCall* usual = nullptr;  // the call of most ranks
};

// `calls` of each rank in order; coalesced calls are several. `whole`: all
// members of the group are among them.
CollectiveMismatch MatchCalls(
    const std::map<int64_t, std::vector<const CollectiveCall*>>& calls,
    bool whole);

}  // namespace inquest::facts
