#include "analyzer/memory/memory_event.h"

namespace inquest::memory {

Expected<int64_t> ForEachEvent(
    Database* db, const std::string& prefix,
    const std::function<void(const MemoryEvent&)>& visit) {
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("SELECT id, time_ns, op, kind, device, context, address, "
                  "bytes, result, stack FROM " +
                  prefix + "memory_event ORDER BY id"));
  int64_t count = 0;
  for (; row.Step(); ++count) {
    MemoryEvent event;
    event.id = row.Int(0);
    event.time = row.Int(1);
    event.op = static_cast<int>(row.Int(2));
    event.kind = static_cast<int>(row.Int(3));
    event.device = static_cast<int>(row.Int(4));
    event.context = static_cast<uint64_t>(row.Int(5));
    event.address = static_cast<uint64_t>(row.Int(6));
    event.bytes = row.Int(7);
    event.result = static_cast<int>(row.Int(8));
    event.stack = row.Int(9);
    visit(event);
  }
  RETURN_IF_ERROR(row.status());
  return count;
}

}  // namespace inquest::memory
