#include "analyzer/memory/memory_event.h"

#include "trace/event_rows.h"

namespace inquest::memory {

Expected<int64_t> ForEachEvent(
    Database* db, const std::string& prefix, int64_t after,
    const std::function<void(const MemoryEvent&)>& visit) {
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("SELECT " + std::string(trace::kEventColumns) + " FROM " +
                  prefix + "memory_event WHERE id > ? ORDER BY id"));
  row.Bind(0, after);
  int64_t count = 0;
  for (; row.Step(); ++count) visit(trace::EventOf(row));
  RETURN_IF_ERROR(row.status());
  return count;
}

}  // namespace inquest::memory
