// SPDX-License-Identifier: Apache-2.0
// Looks for an earlier run in what a framework's pool held at its last refusal:
// the fact earlier_run, from the blocks that the collector saw inside the
// framework.
#pragma once

#include "analyzer/memory/refusals/earlier_run_facts.h"
#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

// Call after the steps were written. May add sites.
Status WritePoolEarlierRuns(const EarlierRunContext& context, SiteTable* sites);

}  // namespace inquest::memory
