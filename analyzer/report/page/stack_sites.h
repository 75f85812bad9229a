// SPDX-License-Identifier: Apache-2.0
// Which allocation site a call stack leads to. The fact allocation_site names
// one stack of each site alone; of the others this reads the frames. Used for
// blocks of imported pools.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/sites/sites.h"
#include "base/status.h"

namespace inquest::report {

class StackSites {
 public:
  static Expected<StackSites> Read(facts::Store* store, int64_t process,
                                   int64_t device);

  // allocation_site.site, or 0.
  int64_t Of(int64_t stack);

 private:
  StackSites(facts::Store* store, int64_t process, int64_t device);

  int device_;
  memory::SiteTable table_;
  std::map<std::string, int64_t> by_chain_;
};

}  // namespace inquest::report
