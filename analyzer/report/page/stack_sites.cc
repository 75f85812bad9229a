// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/page/stack_sites.h"

#include <memory>
#include <utility>

#include "analyzer/memory/sites/stack_frames.h"

namespace inquest::report {

StackSites::StackSites(facts::Store* store, int64_t process, int64_t device)
    : device_(static_cast<int>(device)),
      table_([frames = std::make_shared<memory::StackFrames>(
                  store, static_cast<int>(process))](int64_t stack) {
        return frames->Of(stack);
      }) {}

Expected<StackSites> StackSites::Read(facts::Store* store, int64_t process,
                                      int64_t device) {
  StackSites sites(store, process, device);
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare(
                       "SELECT chain, site FROM allocation_site WHERE process "
                       "= ? AND device = ?"));
  row.BindAll(process, device);
  int64_t site = 0;
  for (std::string chain; row.Next(&chain, &site);) {
    sites.by_chain_.emplace(chain, site);
  }
  RETURN_IF_ERROR(row.status());
  return sites;
}

int64_t StackSites::Of(int64_t stack) {
  const size_t found = table_.Find(stack, device_);
  const auto known = by_chain_.find(table_.sites()[found].chain);
  return known == by_chain_.end() ? 0 : known->second;
}

}  // namespace inquest::report
