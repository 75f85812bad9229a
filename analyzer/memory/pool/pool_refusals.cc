// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/pool/pool_refusals.h"

#include "base/capped.h"

namespace inquest::memory {

Expected<std::map<int, PoolRefusal>> LastPoolRefusals(facts::Store* store,
                                                      int process) {
  ASSIGN_OR_RETURN(Statement row,
                   store->db().Prepare(
                       "SELECT device, id, time, requested_bytes, stack FROM "
                       "framework_oom WHERE process = ? AND NOT survived "
                       "ORDER BY id"));
  row.BindAll(process);
  std::map<int, PoolRefusal> last;
  int device = 0;
  for (PoolRefusal one;
       row.Next(&device, &one.id, &one.time, &one.bytes, &one.stack);) {
    last[device] = one;
    last[device].time = SubtractCapped(one.time, store->ClockOffset(process));
  }
  RETURN_IF_ERROR(row.status());
  return last;
}

}  // namespace inquest::memory
