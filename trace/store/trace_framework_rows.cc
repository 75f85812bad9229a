// SPDX-License-Identifier: Apache-2.0
// The rows of frameworks: what their allocators did, and their packages.
#include <cstring>
#include <string>

#include "trace/store/or_null.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
namespace {

constexpr std::string_view kHandle = "handle";

// NULL in the table is kNoNumber (?1) in memory.
constexpr std::string_view kSelectBlocks =
    "SELECT id,device,address,address_is,bytes,time_ns,coalesce(freed_ns,?1),"
    "thread,stack,coalesce(allocated_bytes,?1),coalesce(reserved_bytes,?1) "
    "FROM framework_block ORDER BY freed_ns, id";
// The last interval of each device, which continues, and their number.
constexpr std::string_view kSelectIntervals =
    "SELECT max(id),device,first_ns,last_ns,allocations,frees,"
    "coalesce(allocated_bytes,?1),coalesce(reserved_bytes,?1),"
    "coalesce(peak_allocated_bytes,?1),coalesce(peak_reserved_bytes,?1),"
    "count(*) FROM framework_memory GROUP BY device";

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
  ASSIGN_OR_RETURN(Statement rows, db_.Prepare(kSelectBlocks));
  rows.BindAll(kNoNumber);
  FrameworkBlock block;
  FrameworkMemoryRecord& made = block.made;
  std::string address_is;
  while (rows.Next(&block.id, &made.device, &made.address, &address_is,
                   &made.bytes, &made.time_ns, &block.freed_ns, &made.thread,
                   &made.stack, &made.allocated_bytes, &made.reserved_bytes)) {
    made.address_is_handle = address_is == kHandle;
    framework_.Resume(block);
  }
  RETURN_IF_ERROR(rows.status());
  return LoadFrameworkIntervals();
}

Status TraceWriter::LoadFrameworkIntervals() {
  ASSIGN_OR_RETURN(Statement rows, db_.Prepare(kSelectIntervals));
  rows.BindAll(kNoNumber);
  FrameworkInterval i;
  int64_t count = 0;
  while (rows.Next(&i.id, &i.device, &i.first_ns, &i.last_ns, &i.allocations,
                   &i.frees, &i.allocated_bytes, &i.reserved_bytes,
                   &i.peak_allocated_bytes, &i.peak_reserved_bytes, &count)) {
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
