// The rows of frameworks: what their allocators did, and their packages.
#include <cstring>
#include <optional>
#include <string>

#include "trace/store/or_null.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
namespace {

constexpr std::string_view kHandle = "handle";

// The next row of framework_block.
bool NextBlock(Statement* rows, FrameworkBlock* block) {
  FrameworkMemoryRecord& made = block->made;
  std::string address_of;
  std::optional<int64_t> freed;
  std::optional<int64_t> allocated;
  std::optional<int64_t> reserved;
  if (!rows->Next(&block->id, &made.device, &made.address, &address_of,
                  &made.bytes, &made.time_ns, &freed, &made.thread, &made.stack,
                  &allocated, &reserved)) {
    return false;
  }
  made.address_is_handle = address_of == kHandle;
  block->freed_ns = NumberOf(freed);
  made.allocated_bytes = NumberOf(allocated);
  made.reserved_bytes = NumberOf(reserved);
  return true;
}

}  // namespace

void TraceWriter::AddFramework(uint64_t ticket, std::string_view payload) {
  FrameworkMemoryRecord record;
  if (payload.size() < sizeof record) return Malformed();
  std::memcpy(&record, payload.data(), sizeof record);
  switch (record.op) {
    case FrameworkOp::kAlloc:
      if (budget_.exhausted()) ++no_room_["framework_block"];
      return framework_.Add(static_cast<int64_t>(ticket), record,
                            !budget_.exhausted());
    case FrameworkOp::kFree:
      return framework_.Add(static_cast<int64_t>(ticket), record, false);
    case FrameworkOp::kOutOfMemory:
      return EnterRefusal(ticket, record);
  }
  Malformed();
}

void TraceWriter::EnterRefusal(uint64_t ticket,
                               const FrameworkMemoryRecord& r) {
  Write("INSERT OR IGNORE INTO framework_oom VALUES(?,?,?,?,?,?,?,?)", ticket,
        r.time_ns, r.device, r.bytes, OrNull(r.allocated_bytes),
        OrNull(r.reserved_bytes), r.thread, r.stack);
}

void TraceWriter::StoreBlock(const FrameworkBlock& block) {
  const FrameworkMemoryRecord& made = block.made;
  Write("INSERT OR REPLACE INTO framework_block VALUES(?,?,?,?,?,?,?,?,?,?,?)",
        block.id, made.device, made.address,
        made.address_is_handle ? kHandle : "device", made.bytes, made.time_ns,
        OrNull(block.freed_ns), made.thread, made.stack,
        OrNull(made.allocated_bytes), OrNull(made.reserved_bytes));
}

void TraceWriter::StoreInterval(const FrameworkInterval& i) {
  Write("INSERT OR REPLACE INTO framework_memory VALUES(?,?,?,?,?,?,?,?,?,?)",
        i.id, i.device, i.first_ns, i.last_ns, i.allocations, i.frees,
        OrNull(i.allocated_bytes), OrNull(i.reserved_bytes),
        OrNull(i.peak_allocated_bytes), OrNull(i.peak_reserved_bytes));
}

void TraceWriter::FlushFramework() {
  const FrameworkMemory::Changes changes = framework_.TakeChanges();
  for (const FrameworkBlock& block : changes.blocks) StoreBlock(block);
  for (const int64_t id : changes.dropped) {
    Write("DELETE FROM framework_block WHERE id=?", id);
  }
  for (const FrameworkInterval& i : changes.intervals) StoreInterval(i);
}

Status TraceWriter::LoadFramework() {
  framework_.Reset();
  ASSIGN_OR_RETURN(
      Statement blocks,
      db_.Prepare("SELECT * FROM framework_block ORDER BY freed_ns, id"));
  for (FrameworkBlock block; NextBlock(&blocks, &block);) {
    framework_.Resume(block);
  }
  RETURN_IF_ERROR(blocks.status());
  return LoadFrameworkIntervals();
}

// The last one of each device goes on.
Status TraceWriter::LoadFrameworkIntervals() {
  ASSIGN_OR_RETURN(
      Statement rows,
      db_.Prepare("SELECT max(id),device,first_ns,last_ns,allocations,frees,"
                  "allocated_bytes,reserved_bytes,peak_allocated_bytes,"
                  "peak_reserved_bytes,count(*) FROM framework_memory "
                  "GROUP BY device"));
  FrameworkInterval i;
  std::optional<int64_t> sums[4];
  int64_t count = 0;
  while (rows.Next(&i.id, &i.device, &i.first_ns, &i.last_ns, &i.allocations,
                   &i.frees, &sums[0], &sums[1], &sums[2], &sums[3], &count)) {
    i.allocated_bytes = NumberOf(sums[0]);
    i.reserved_bytes = NumberOf(sums[1]);
    i.peak_allocated_bytes = NumberOf(sums[2]);
    i.peak_reserved_bytes = NumberOf(sums[3]);
    framework_.Resume(i, count);
  }
  return rows.status();
}

void TraceWriter::Enter(uint64_t, const PackageRecord& r) {
  Write("INSERT OR IGNORE INTO package VALUES(?,?,?,?,?,?,?)", r.name,
        r.version, r.version_source, OrNull(r.cuda), OrNull(r.cudnn), r.path,
        r.time_ns);
}

}  // namespace inquest::trace
