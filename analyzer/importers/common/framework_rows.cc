// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/framework_rows.h"

#include <algorithm>

#include "trace/records/event.h"
#include "trace/records/result_meaning.h"
#include "trace/store/ledger.h"
#include "trace/store/or_null.h"

namespace inquest::importers {
namespace {

using trace::FrameworkOp;
using trace::kCudaOutOfMemory;
using trace::kNoNumber;
using trace::MemoryKind;
using trace::MemoryOp;
using trace::OrNull;

constexpr int64_t kMaxUnwritten = 10'000;
constexpr auto kLayer = trace::Layer::kFramework;

}  // namespace

Status FrameworkRows::AddEvent(const FrameworkCall& call, MemoryOp op,
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
  if (++unwritten_ >= kMaxUnwritten) WriteChanges();
}

// The allocator's own sum includes blocks from before the file's beginning.
void FrameworkRows::TakeSum(const FrameworkCall& call, int64_t change) {
  Device& device = devices_[call.device];
  if (device.has_sums || !call.allocated) return;
  device.has_sums = true;
  __builtin_sub_overflow(*call.allocated, change, &device.sum_before);
}

Status FrameworkRows::Allocate(const FrameworkCall& call) {
  Device& device = devices_[call.device];
  // Either all calls have sums or none.
  if (device.allocations + device.frees == 0) TakeSum(call, call.bytes);
  ++device.allocations;
  const uint64_t place = device.blocks.Add(call.bytes, call.address, call.tag);
  RETURN_IF_ERROR(AddEvent(call, MemoryOp::kAlloc, place, 0));
  if (call.device >= 0) Keep(call, FrameworkOp::kAlloc, place);
  return Status::Ok();
}

Status FrameworkRows::Free(const FrameworkCall& call) {
  Device& device = devices_[call.device];
  if (device.allocations + device.frees == 0) TakeSum(call, -call.bytes);
  ++device.frees;
  const uint64_t place =
      device.blocks.Remove(call.bytes, call.address, call.tag);
  RETURN_IF_ERROR(AddEvent(call, MemoryOp::kFree, place, 0));
  if (call.device >= 0) Keep(call, FrameworkOp::kFree, place);
  return Status::Ok();
}

Status FrameworkRows::Refuse(const FrameworkCall& call) {
  ++devices_[call.device].refused;
  RETURN_IF_ERROR(AddEvent(call, MemoryOp::kAlloc, 0, kCudaOutOfMemory));
  file_->AddRow("framework_oom", id_, call.time_ns, call.device, call.bytes,
                call.allocated, call.reserved, call.thread, call.stack);
  return Status::Ok();
}

void FrameworkRows::WriteBlock(const trace::FrameworkBlock& block) {
  const trace::FrameworkMemoryRecord& made = block.made;
  file_->AddRow("framework_block", block.id, made.device, made.address,
                made.address_is_handle ? "handle" : "device", made.bytes,
                made.time_ns, OrNull(block.freed_ns), made.thread, made.stack,
                OrNull(made.allocated_bytes), OrNull(made.reserved_bytes));
}

void FrameworkRows::WriteInterval(const trace::FrameworkInterval& one) {
  file_->AddRow("framework_memory", one.id, one.device, one.first_ns,
                one.last_ns, one.allocations, one.frees,
                OrNull(one.allocated_bytes), OrNull(one.reserved_bytes),
                OrNull(one.peak_allocated_bytes),
                OrNull(one.peak_reserved_bytes));
}

void FrameworkRows::WriteChanges() {
  unwritten_ = 0;
  const trace::FrameworkMemory::Changes changes = memory_.TakeChanges();
  for (const trace::FrameworkBlock& block : changes.blocks) WriteBlock(block);
  for (const int64_t id : changes.dropped) {
    file_->Execute("DELETE FROM framework_block WHERE id=?", id);
  }
  for (const auto& interval : changes.intervals) WriteInterval(interval);
}

// These blocks were not allocated in this trace, so all counts are 0.
void FrameworkRows::WriteBefore(int64_t ordinal, const Device& device,
                                int64_t first_ns) {
  uint64_t lowest = UINT64_MAX, highest = 0;
  std::map<uint32_t, std::pair<int64_t, int64_t>> sites;
  for (const PlacedBlock& block : device.blocks.before()) {
    file_->AddRow("checkpoint_block", ordinal, kLayer, block.address,
                  block.bytes, 0, first_ns, block.stack, 0,
                  MemoryKind::kFramework);
    lowest = std::min(lowest, block.address);
    highest =
        std::max(highest, block.address + static_cast<uint64_t>(block.bytes));
    auto& [count, site_bytes] = sites[block.stack];
    ++count;
    site_bytes += block.bytes;
  }
  const int64_t bytes = device.blocks.before_bytes();
  file_->AddRow("checkpoint_heap", ordinal, kLayer, lowest, highest, bytes,
                bytes, first_ns, 0, 0, 0, 0);
  for (const auto& [stack, sum] : sites) {
    file_->AddRow("checkpoint_site", ++sites_, stack, ordinal, sum.first, 0, 0,
                  sum.second, sum.second, sum.second);
  }
  file_->AddRow("checkpoint_device", ordinal, 0, 0, first_ns);
}

void FrameworkRows::Finish(int64_t first_ns) {
  WriteChanges();
  file_->AddRow("checkpoint", kCheckpointEvent, first_ns, 0, -1, 0, 0, 0, 0, 0,
                0, 0);
  for (auto& [ordinal, device] : devices_) {
    const int64_t unnamed = device.sum_before - device.blocks.before_bytes();
    if (device.has_sums) device.unnamed_before = std::max<int64_t>(unnamed, 0);
    WriteBefore(ordinal, device, first_ns);
  }
}

}  // namespace inquest::importers
