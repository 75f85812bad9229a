// SPDX-License-Identifier: Apache-2.0
// Which ranks still stand in a collective that a peer has completed. In an
// all_reduce, all_gather, reduce_scatter, all_to_all or barrier nobody gets
// through without everybody's part, so such a rank gave its part and then
// stopped: its GPU, or the process that would have noticed the end. Whoever
// waits behind another rank's absence has no such collective. Pure computation,
// called by the waits (collective_waits.cc); a root may leave a broadcast, a
// reduce, a scatter or a gather before the others, so these say nothing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "analyzer/facts/derive/collective_waits.h"

namespace inquest::facts {

// By rank of the job.
std::map<int64_t, LeftBehind> FindLeftBehind(const CollectiveRecord& record);

}  // namespace inquest::facts
