// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/replay/memory_event.h"

#include <algorithm>

#include "base/capped.h"
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

Expected<bool> ForSomeEvents(
    Database* db, const std::string& prefix, int64_t after, int64_t max,
    const std::function<void(const MemoryEvent&)>& visit) {
  const int64_t part = std::max<int64_t>(max / 3, 1);
  ASSIGN_OR_RETURN(
      const int64_t late,
      db->QueryInt("SELECT id FROM " + prefix +
                   "memory_event ORDER BY id DESC LIMIT 1 OFFSET " +
                   std::to_string(part)));
  // Ids have gaps, but evenly spread ones, so this is about the middle.
  const int64_t between = SubtractCapped(late, AddCapped(after, part));
  const int64_t middle = after + between / 2;
  int64_t last = after;
  bool all = true;
  for (int64_t begin : {after, middle, late}) {
    if (begin > last) all = false;
    begin = std::max(begin, last);
    const auto note = [&](const MemoryEvent& event) {
      last = event.id;
      visit(event);
    };
    RETURN_IF_ERROR(ForEachEvent(db, prefix, begin, note, part).status());
  }
  return all;
}

}  // namespace inquest::memory
