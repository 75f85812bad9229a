// SPDX-License-Identifier: Apache-2.0
// Ranks that wait for each other in a ring. Pure computation, called by the
// waits (collective_waits.cc) where nobody stands at the end of the chains.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "analyzer/facts/derive/collective_waits.h"

namespace inquest::facts {

// Those that remain when ranks that no other rank waits for are removed
// repeatedly. Empty if one of them waits for a rank of which no whole dump
// tells what it waits for: the chain may end there.
std::set<int64_t> FindRing(const std::map<int64_t, RankState>& ranks,
                           const std::map<int64_t, std::set<int64_t>>& absent);

}  // namespace inquest::facts
