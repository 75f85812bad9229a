#include "analyzer/importers/common/framework_rows.h"

#include <algorithm>

#include "trace/records/event.h"
#include "trace/store/bind.h"
#include "trace/store/ledger.h"

namespace inquest::importers {
namespace {

using trace::FrameworkOp;
using trace::kNoNumber;
using trace::MemoryKind;
using trace::MemoryOp;

constexpr int64_t kOutOfMemory = 2;  // CUDA_ERROR_OUT_OF_MEMORY
constexpr int64_t kCheckpointEvent = 1;
constexpr int64_t kMostUnwritten = 10'000;
constexpr auto kLayer = static_cast<int64_t>(trace::Layer::kFramework);

}  // namespace

Status FrameworkRows::Enter(const FrameworkCall& call, MemoryOp op,
                            uint64_t address, int64_t result) {
  TraceEvent row;
  row.id = ++id_;
  row.time_ns = call.time_ns;
  row.op = op;
  row.kind = MemoryKind::kFramework;
  row.device = call.device;
  row.address = address;
  row.bytes = op == MemoryOp::kFree ? 0 : call.bytes;
  row.result = result;
  row.thread = call.thread;
  row.stack = call.stack;
  return file_->Add(row);
}

void FrameworkRows::Keep(const FrameworkCall& call, FrameworkOp op,
                         uint64_t address) {
  trace::FrameworkMemoryRecord record;
  record.time_ns = call.time_ns;
  record.address = address;
  record.bytes = call.bytes;
  record.allocated_bytes = call.allocated.value_or(kNoNumber);
  record.reserved_bytes = call.reserved.value_or(kNoNumber);
  record.thread = static_cast<uint32_t>(call.thread);
  record.stack = call.stack;
  record.device = static_cast<int16_t>(call.device);
  record.op = op;
  record.address_is_handle = !call.address;
  memory_.Add(id_, record, true);
  if (++unwritten_ >= kMostUnwritten) WriteChanges();
}

// The allocator's own sum tells of blocks that are older than the file.
void FrameworkRows::TakeSum(const FrameworkCall& call, int64_t change) {
  Device& device = devices_[call.device];
  if (device.has_sums || !call.allocated) return;
  device.has_sums = true;
  __builtin_sub_overflow(*call.allocated, change, &device.least_sum);
}

Status FrameworkRows::Allocate(const FrameworkCall& call) {
  Device& device = devices_[call.device];
  // Sums are told with each call or with none.
  if (device.allocations + device.frees == 0) TakeSum(call, call.bytes);
  ++device.allocations;
  const uint64_t place = device.blocks.Add(call.bytes, call.address, call.tag);
  RETURN_IF_ERROR(Enter(call, MemoryOp::kAlloc, place, 0));
  if (call.device >= 0) Keep(call, FrameworkOp::kAlloc, place);
  return Status::Ok();
}

Status FrameworkRows::Free(const FrameworkCall& call) {
  Device& device = devices_[call.device];
  if (device.allocations + device.frees == 0) TakeSum(call, -call.bytes);
  ++device.frees;
  const uint64_t place =
      device.blocks.Remove(call.bytes, call.address, call.tag);
  RETURN_IF_ERROR(Enter(call, MemoryOp::kFree, place, 0));
  if (call.device >= 0) Keep(call, FrameworkOp::kFree, place);
  return Status::Ok();
}

Status FrameworkRows::Refuse(const FrameworkCall& call) {
  ++devices_[call.device].refused;
  RETURN_IF_ERROR(Enter(call, MemoryOp::kAlloc, 0, kOutOfMemory));
  Statement* row =
      file_->Insert("INSERT INTO framework_oom VALUES(?,?,?,?,?,?,?,?)");
  row->Bind(0, id_).Bind(1, call.time_ns).Bind(2, call.device);
  row->Bind(3, call.bytes).BindNull(4).BindNull(5);
  if (call.allocated) row->Bind(4, *call.allocated);
  if (call.reserved) row->Bind(5, *call.reserved);
  file_->Run(&row->Bind(6, call.thread).Bind(7, int64_t{call.stack}));
  return Status::Ok();
}

void FrameworkRows::WriteBlock(const trace::FrameworkBlock& block) {
  Statement* row = file_->Insert(
      "INSERT OR REPLACE INTO framework_block VALUES(?,?,?,?,?,?,?,?,?,?,?)");
  const trace::FrameworkMemoryRecord& made = block.made;
  row->Bind(0, block.id).Bind(1, int64_t{made.device});
  row->Bind(2, static_cast<int64_t>(made.address));
  row->Bind(3, made.address_is_handle ? "handle" : "device");
  row->Bind(4, made.bytes).Bind(5, made.time_ns);
  trace::BindNumber(row, 6, block.freed_ns);
  row->Bind(7, int64_t{made.thread}).Bind(8, int64_t{made.stack});
  trace::BindNumber(row, 9, made.allocated_bytes);
  trace::BindNumber(row, 10, made.reserved_bytes);
  file_->Run(row);
}

void FrameworkRows::WriteInterval(const trace::FrameworkInterval& one) {
  Statement* row = file_->Insert(
      "INSERT OR REPLACE INTO framework_memory VALUES(?,?,?,?,?,?,?,?,?,?)");
  row->Bind(0, one.id).Bind(1, one.device).Bind(2, one.first_ns);
  row->Bind(3, one.last_ns).Bind(4, one.allocations).Bind(5, one.frees);
  trace::BindNumber(row, 6, one.allocated_bytes);
  trace::BindNumber(row, 7, one.reserved_bytes);
  trace::BindNumber(row, 8, one.peak_allocated_bytes);
  trace::BindNumber(row, 9, one.peak_reserved_bytes);
  file_->Run(row);
}

void FrameworkRows::WriteChanges() {
  unwritten_ = 0;
  const trace::FrameworkMemory::Changes changes = memory_.TakeChanges();
  for (const trace::FrameworkBlock& block : changes.blocks) WriteBlock(block);
  Statement* remove = file_->Insert("DELETE FROM framework_block WHERE id=?");
  for (const int64_t id : changes.dropped) file_->Run(&remove->Bind(0, id));
  for (const auto& interval : changes.intervals) WriteInterval(interval);
}

// What was live is no allocation of this trace, so that all counts are 0.
void FrameworkRows::WriteBefore(int64_t ordinal, const Device& device,
                                int64_t first_ns) {
  uint64_t lowest = UINT64_MAX, highest = 0;
  std::map<uint32_t, std::pair<int64_t, int64_t>> sites;
  Statement* row = file_->Insert(
      "INSERT OR REPLACE INTO checkpoint_block VALUES(?,?,?,?,0,?,?,0,?)");
  for (const PlacedBlock& block : device.blocks.before()) {
    row->Bind(0, ordinal).Bind(1, kLayer);
    row->Bind(2, static_cast<int64_t>(block.address)).Bind(3, block.bytes);
    row->Bind(4, first_ns).Bind(5, int64_t{block.stack});
    file_->Run(&row->Bind(6, static_cast<int64_t>(MemoryKind::kFramework)));
    lowest = std::min(lowest, block.address);
    highest =
        std::max(highest, block.address + static_cast<uint64_t>(block.bytes));
    auto& [count, bytes] = sites[block.stack];
    ++count;
    bytes += block.bytes;
  }
  Statement* heap = file_->Insert(
      "INSERT INTO checkpoint_heap VALUES(?,?,?,?,?5,?5,?6,0,0,0,0)");
  heap->Bind(0, ordinal).Bind(1, kLayer);
  heap->Bind(2, static_cast<int64_t>(lowest));
  heap->Bind(3, static_cast<int64_t>(highest));
  file_->Run(&heap->Bind(4, device.blocks.before_bytes()).Bind(5, first_ns));
  Statement* site = file_->Insert(
      "INSERT INTO checkpoint_site VALUES(?1,?2,?3,?4,0,0,?5,?5,?5)");
  for (const auto& [stack, sum] : sites) {
    site->Bind(0, ++sites_).Bind(1, int64_t{stack}).Bind(2, ordinal);
    file_->Run(&site->Bind(3, sum.first).Bind(4, sum.second));
  }
  Statement* total =
      file_->Insert("INSERT INTO checkpoint_device VALUES(?,0,0,?)");
  file_->Run(&total->Bind(0, ordinal).Bind(1, first_ns));
}

void FrameworkRows::Finish(int64_t first_ns) {
  WriteChanges();
  Statement* head =
      file_->Insert("INSERT INTO checkpoint VALUES(?,?,0,-1,0,0,0,0,0,0,0)");
  file_->Run(&head->Bind(0, kCheckpointEvent).Bind(1, first_ns));
  for (auto& [ordinal, device] : devices_) {
    const int64_t unnamed = device.least_sum - device.blocks.before_bytes();
    if (device.has_sums) device.unnamed_before = std::max<int64_t>(unnamed, 0);
    WriteBefore(ordinal, device, first_ns);
  }
}

}  // namespace inquest::importers
