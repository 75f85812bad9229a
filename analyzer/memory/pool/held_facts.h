// Who held what in a framework's pool at the end, or when the pool gave up on a
// request for good: the fact held_site. From the blocks that the collector saw
// inside the framework, of which the trace keeps those that were live at the
// end and the last that were freed; so of a program that was let go by its
// exception, and gave back everything on its way out, as well.
//
// `tenths` is in how many tenths of the pool's time, from its first block on,
// these blocks were made: what a program loads at its start has few, what it
// forgets to let go has all.
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

// May make sites, of stacks that only a pool's blocks have.
Status WriteHeld(const HeldContext& context);

}  // namespace inquest::memory
