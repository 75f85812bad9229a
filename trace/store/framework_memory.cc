// SPDX-License-Identifier: Apache-2.0
#include "trace/store/framework_memory.h"

#include <algorithm>

namespace inquest::trace {

size_t FrameworkMemory::PlaceHash::operator()(const Place& place) const {
  // Blocks begin at multiples of 512.
  return (place.address >> 9) * 0x9e3779b97f4a7c15u +
         static_cast<size_t>(place.device);
}

void FrameworkMemory::Add(int64_t ticket, const FrameworkMemoryRecord& record,
                          bool keep) {
  Sum(record);
  const Place place{record.device, record.address};
  // The address is handed out again, so the old block was freed and that free
  // was lost.
  Free(place, record.time_ns);
  if (record.op == FrameworkOp::kAlloc && keep) Make(ticket, record);
}

void FrameworkMemory::Make(int64_t ticket,
                           const FrameworkMemoryRecord& record) {
  const FrameworkBlock block{ticket, record, kNoNumber};
  live_[{record.device, record.address}] = block;
  changed_[ticket] = block;
}

void FrameworkMemory::Free(const Place& place, int64_t time_ns) {
  const auto found = live_.find(place);
  if (found == live_.end()) return;
  FrameworkBlock block = found->second;
  live_.erase(found);
  block.freed_ns = time_ns;
  changed_[block.id] = block;
  freed_.push_back(block.id);
  if (freed_.size() <= kFreedKept) return;
  // Whether it is stored already does not matter: removing a missing row is
  // fine.
  changed_.erase(freed_.front());
  dropped_.push_back(freed_.front());
  freed_.pop_front();
}

void FrameworkMemory::Sum(const FrameworkMemoryRecord& record) {
  Device& device = devices_[record.device];
  FrameworkInterval& open = device.open;
  const int64_t doublings =
      std::min<int64_t>(device.count / kIntervalsOfAWidth, 20);
  if (open.id == 0 || record.time_ns - open.first_ns >= kIntervalNs
                                                            << doublings) {
    if (device.changed) closed_.push_back(open);
    open = {};
    open.id = ++last_interval_;
    open.device = record.device;
    open.first_ns = record.time_ns;
    ++device.count;
  }
  device.changed = true;
  open.last_ns = record.time_ns;
  ++(record.op == FrameworkOp::kAlloc ? open.allocations : open.frees);
  // kNoNumber is the smallest value.
  open.allocated_bytes = record.allocated_bytes;
  open.reserved_bytes = record.reserved_bytes;
  open.peak_allocated_bytes =
      std::max(open.peak_allocated_bytes, record.allocated_bytes);
  open.peak_reserved_bytes =
      std::max(open.peak_reserved_bytes, record.reserved_bytes);
}

FrameworkMemory::Changes FrameworkMemory::TakeChanges() {
  Changes changes;
  changes.blocks.reserve(changed_.size());
  for (const auto& [id, block] : changed_) changes.blocks.push_back(block);
  changed_.clear();
  changes.dropped.swap(dropped_);
  changes.intervals.swap(closed_);
  for (auto& [ordinal, device] : devices_) {
    if (device.changed) changes.intervals.push_back(device.open);
    device.changed = false;
  }
  return changes;
}

void FrameworkMemory::Reset() {
  *this = FrameworkMemory();
}

void FrameworkMemory::Resume(const FrameworkBlock& block) {
  if (block.freed_ns == kNoNumber) {
    live_[{block.made.device, block.made.address}] = block;
  } else {
    freed_.push_back(block.id);
  }
}

void FrameworkMemory::Resume(const FrameworkInterval& last, int64_t count) {
  devices_[last.device] = {last, count, false};
  last_interval_ = std::max(last_interval_, last.id);
}

}  // namespace inquest::trace
