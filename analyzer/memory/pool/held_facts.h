// SPDX-License-Identifier: Apache-2.0
// Writes which site held what in a framework's pool at the end, or at the last
// refusal from which the program did not recover: the fact held_site. From the
// blocks that the collector saw inside the framework. The trace keeps those
// live at the end and the last freed ones, so this works also for a program
// that freed everything while its exception unwound.
//
// `tenths`: in how many tenths of the pool's life these blocks were allocated.
// Few for what a program loads at its start, all for what it forgets to free.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/sites/sites.h"

namespace inquest::memory {

struct HeldContext {
  facts::Store* store = nullptr;
  int process = 0;
  SiteTable* sites = nullptr;
  std::function<int64_t(size_t site)> site_id;
};

// May add sites for stacks that only a pool's blocks have.
Status WriteHeld(const HeldContext& context);

}  // namespace inquest::memory
