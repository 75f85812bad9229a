// The rows of frameworks: what their allocators did, and their packages.
#include <cstring>

#include "trace/store/bind.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
namespace {

int64_t NumberOf(const Statement& row, int index) {
  return row.IsNull(index) ? kNoNumber : row.Int(index);
}

constexpr std::string_view kHandle = "handle";

FrameworkBlock BlockOf(const Statement& row) {
  FrameworkBlock block;
  block.id = row.Int(0);
  block.made.device = static_cast<int16_t>(row.Int(1));
  block.made.address = static_cast<uint64_t>(row.Int(2));
  block.made.address_is_handle = row.Text(3) == kHandle;
  block.made.bytes = row.Int(4);
  block.made.time_ns = row.Int(5);
  block.freed_ns = NumberOf(row, 6);
  block.made.thread = static_cast<uint32_t>(row.Int(7));
  block.made.stack = static_cast<uint32_t>(row.Int(8));
  block.made.allocated_bytes = NumberOf(row, 9);
  block.made.reserved_bytes = NumberOf(row, 10);
  return block;
}

}  // namespace

void TraceWriter::AddFramework(uint64_t ticket, std::string_view payload) {
  FrameworkMemoryRecord record;
  if (payload.size() < sizeof record) return Malformed();
  std::memcpy(&record, payload.data(), sizeof record);
  switch (record.op) {
    case FrameworkOp::kAlloc:
      if (budget_.exhausted()) ++no_room_["framework_block"];
      return framework_.Add(Signed(ticket), record, !budget_.exhausted());
    case FrameworkOp::kFree:
      return framework_.Add(Signed(ticket), record, false);
    case FrameworkOp::kOutOfMemory:
      return EnterRefusal(ticket, record);
  }
  Malformed();
}

void TraceWriter::EnterRefusal(uint64_t ticket,
                               const FrameworkMemoryRecord& record) {
  Statement* insert =
      Get("INSERT OR IGNORE INTO framework_oom VALUES(?,?,?,?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, Signed(ticket)).Bind(1, record.time_ns);
  insert->Bind(2, int64_t{record.device}).Bind(3, record.bytes);
  BindNumber(insert, 4, record.allocated_bytes);
  BindNumber(insert, 5, record.reserved_bytes);
  Run(&insert->Bind(6, int64_t{record.thread}).Bind(7, int64_t{record.stack}));
}

void TraceWriter::StoreBlock(const FrameworkBlock& block) {
  Statement* store =
      Get("INSERT OR REPLACE INTO framework_block "
          "VALUES(?,?,?,?,?,?,?,?,?,?,?)");
  if (store == nullptr) return;
  const FrameworkMemoryRecord& made = block.made;
  store->Bind(0, block.id).Bind(1, int64_t{made.device});
  store->Bind(2, Signed(made.address));
  store->Bind(3, made.address_is_handle ? kHandle : "device");
  store->Bind(4, made.bytes).Bind(5, made.time_ns);
  BindNumber(store, 6, block.freed_ns);
  store->Bind(7, int64_t{made.thread}).Bind(8, int64_t{made.stack});
  BindNumber(store, 9, made.allocated_bytes);
  BindNumber(store, 10, made.reserved_bytes);
  Run(store);
}

void TraceWriter::StoreInterval(const FrameworkInterval& interval) {
  Statement* store = Get(
      "INSERT OR REPLACE INTO framework_memory VALUES(?,?,?,?,?,?,?,?,?,?)");
  if (store == nullptr) return;
  store->Bind(0, interval.id).Bind(1, interval.device);
  store->Bind(2, interval.first_ns).Bind(3, interval.last_ns);
  store->Bind(4, interval.allocations).Bind(5, interval.frees);
  BindNumber(store, 6, interval.allocated_bytes);
  BindNumber(store, 7, interval.reserved_bytes);
  BindNumber(store, 8, interval.peak_allocated_bytes);
  BindNumber(store, 9, interval.peak_reserved_bytes);
  Run(store);
}

void TraceWriter::FlushFramework() {
  Statement* remove = Get("DELETE FROM framework_block WHERE id=?");
  if (remove == nullptr) return;
  const FrameworkMemory::Changes changes = framework_.TakeChanges();
  for (const FrameworkBlock& block : changes.blocks) StoreBlock(block);
  for (const int64_t id : changes.dropped) Run(&remove->Bind(0, id));
  for (const FrameworkInterval& i : changes.intervals) StoreInterval(i);
}

Status TraceWriter::LoadFramework() {
  framework_.Reset();
  ASSIGN_OR_RETURN(
      Statement blocks,
      db_.Prepare("SELECT * FROM framework_block ORDER BY freed_ns, id"));
  while (blocks.Step()) framework_.Resume(BlockOf(blocks));
  RETURN_IF_ERROR(blocks.status());
  ASSIGN_OR_RETURN(
      Statement rows,
      db_.Prepare("SELECT max(id),device,first_ns,last_ns,allocations,frees,"
                  "allocated_bytes,reserved_bytes,peak_allocated_bytes,"
                  "peak_reserved_bytes,count(*) FROM framework_memory "
                  "GROUP BY device"));
  while (rows.Step()) {
    framework_.Resume({rows.Int(0), rows.Int(1), rows.Int(2), rows.Int(3),
                       rows.Int(4), rows.Int(5), NumberOf(rows, 6),
                       NumberOf(rows, 7), NumberOf(rows, 8), NumberOf(rows, 9)},
                      rows.Int(10));
  }
  return rows.status();
}

void TraceWriter::Enter(uint64_t, const PackageRecord& record) {
  Statement* insert =
      Get("INSERT OR IGNORE INTO package VALUES(?,?,?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, record.name).Bind(1, record.version);
  insert->Bind(2, record.version_source);
  BindText(insert, 3, record.cuda);
  BindText(insert, 4, record.cudnn);
  Run(&insert->Bind(5, record.path).Bind(6, record.time_ns));
}

}  // namespace inquest::trace
