// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/replay/memory_event.h"

#include "trace/store/event_rows.h"

namespace inquest::memory {

Expected<int64_t> ForEachEvent(
    Database* db, const std::string& prefix, int64_t after,
    const std::function<void(const MemoryEvent&)>& visit, int64_t max) {
  int64_t count = 0;
  int64_t last = after;
  bool in_order = true;
  RETURN_IF_ERROR(db->VisitRows(prefix + "memory_event", trace::kEventColumns,
                                after, [&](std::span<const int64_t> row) {
                                  const MemoryEvent event = trace::EventOf(row);
                                  in_order = event.id > last;
                                  if (!in_order) return false;
                                  last = event.id;
                                  visit(event);
                                  return ++count < max;
                                }));
  if (!in_order) return Unreadable("memory events are out of their order");
  return count;
}

}  // namespace inquest::memory
