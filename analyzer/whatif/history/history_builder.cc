// SPDX-License-Identifier: Apache-2.0
// Takes the events; history_finish.cc computes the rest from the whole history.
#include "analyzer/whatif/history/history_builder.h"

#include <algorithm>
#include <limits>

namespace inquest::whatif {

namespace {

// Larger sizes mean a damaged or malicious trace: their sums must not overflow.
constexpr int64_t kMaxBytes = int64_t{1} << 42;

int64_t ClampedBytes(int64_t bytes) {
  return std::clamp<int64_t>(bytes, 0, kMaxBytes);
}

}  // namespace

HistoryBuilder::HistoryBuilder(memory::SiteTable::StackFrames frames,
                               int process, int device)
    : sites_(std::move(frames)) {
  history_.process = process;
  history_.device = device;
}

// If there are more queues than numbers, the later ones share the first.
uint16_t HistoryBuilder::QueueOf(const QueueKey& key) {
  if (queues_.size() >= std::numeric_limits<uint16_t>::max()) {
    const auto found = queues_.find(key);
    return found == queues_.end() ? 0 : found->second;
  }
  const auto number = static_cast<uint16_t>(queues_.size());
  const auto [entry, fresh] = queues_.emplace(key, number);
  if (fresh && key.pool != 0) history_.private_queues.push_back(number);
  return entry->second;
}

uint32_t HistoryBuilder::NewBlock(int64_t stack) {
  const auto block = static_cast<uint32_t>(history_.sites.size());
  history_.sites.push_back(
      static_cast<uint32_t>(sites_.Find(stack, history_.device)));
  made_in_.push_back(static_cast<uint32_t>(history_.steps));
  kept_.push_back(false);
  return block;
}

void HistoryBuilder::Add(Op op, int64_t bytes, uint32_t block, uint16_t queue) {
  history_.requests.push_back({bytes, block, queue, op});
}

void HistoryBuilder::AddSegmentBefore(uint64_t address, int64_t bytes,
                                      bool grows) {
  bytes = ClampedBytes(bytes);
  if (bytes == 0) return;
  before_[address] = {bytes, grows, {}, {}};
  segments_[address] = bytes;
  reserved_ += bytes;
  history_.recorded.peak_reserved = reserved_;
}

void HistoryBuilder::AddBlockBefore(uint64_t address, int64_t bytes,
                                    int64_t stack) {
  bytes = ClampedBytes(bytes);
  if (live_.contains(address)) return;
  const Live live{NewBlock(stack), 0, stack, bytes};
  live_[address] = live;
  placed_[address] = live;
  live_bytes_ += bytes;
  sites_.OnAlloc(history_.sites[live.block], bytes);
  history_.recorded.peak_allocated = live_bytes_;
}

HistoryBuilder::Before* HistoryBuilder::SegmentAt(uint64_t address) {
  auto found = before_.upper_bound(address);
  if (found == before_.begin()) return nullptr;
  --found;
  const auto bytes = static_cast<uint64_t>(found->second.bytes);
  return address < found->first + bytes ? &found->second : nullptr;
}

void HistoryBuilder::SetSegmentOwner(uint64_t address, int64_t bytes,
                                     const QueueKey& queue, bool small) {
  const uint64_t end = address + static_cast<uint64_t>(bytes);
  for (auto at = before_.lower_bound(address);
       at != before_.end() && at->first < end; ++at) {
    at->second.queue = queue;
    at->second.small = small;
  }
}

// A segment belongs to the queue of its first block.
void HistoryBuilder::InferOwner(uint64_t address, int64_t bytes,
                                const QueueKey& queue) {
  if (before_.empty()) return;
  Before* segment = SegmentAt(address);
  if (segment == nullptr) return;
  // The pool's state at the end does not name the history's private pools.
  if (!segment->queue || queue.pool != 0) segment->queue = queue;
  if (!segment->small && bytes > 0) segment->small = bytes <= (1 << 20);
}

void HistoryBuilder::Drop(std::unordered_map<uint64_t, Live>::iterator live) {
  const Live& gone = live->second;
  if (history_.steps > made_in_[gone.block]) kept_[gone.block] = true;
  live_bytes_ -= gone.bytes;
  sites_.OnFree(history_.sites[gone.block], gone.bytes);
  Add(Op::kFree, 0, gone.block, 0);
  last_freed_at_ = live->first;
  last_freed_ = gone;
  live_.erase(live);
}

void HistoryBuilder::Allocate(uint64_t address, int64_t bytes,
                              const QueueKey& queue, int64_t stack,
                              uint64_t context) {
  bytes = ClampedBytes(bytes);
  emptied_.reset();
  if (const auto other = live_.find(address); other != live_.end()) {
    Drop(other);
  }
  InferOwner(address, bytes, queue);
  const Live live{NewBlock(stack), context, stack, bytes};
  live_[address] = live;
  live_bytes_ += bytes;
  history_.recorded.peak_allocated =
      std::max(history_.recorded.peak_allocated, live_bytes_);
  sites_.OnAlloc(history_.sites[live.block], bytes);
  ++history_.allocations;
  Add(Op::kAllocate, bytes, live.block, QueueOf(queue));
  std::erase_if(open_, [&](const OpenRefusal& one) {
    return bytes >= one.bytes;  // as much was granted later
  });
  auto& lowest = history_.room.lowest;
  lowest = std::min(lowest.value_or(address), address);
}

void HistoryBuilder::Free(uint64_t address) {
  emptied_.reset();
  const auto live = live_.find(address);
  if (live != live_.end()) Drop(live);
}

void HistoryBuilder::UndoFree(uint64_t address) {
  const Live& live = last_freed_;
  if (last_freed_at_ != address || history_.requests.empty()) return;
  const Request& last = history_.requests.back();
  if (last.op != Op::kFree || last.block != live.block) return;
  history_.requests.pop_back();
  live_[address] = live;
  live_bytes_ += live.bytes;
  kept_[live.block] = false;
  sites_.UndoFree(history_.sites[live.block], live.bytes);
}

void HistoryBuilder::DestroyContext(uint64_t context) {
  std::vector<uint64_t> gone;
  for (const auto& [address, live] : live_) {
    if (live.context == context) gone.push_back(address);
  }
  std::sort(gone.begin(), gone.end());
  for (const uint64_t address : gone) Free(address);
}

void HistoryBuilder::Refuse(int64_t bytes, const QueueKey& queue,
                            std::optional<int64_t> room) {
  bytes = ClampedBytes(bytes);
  emptied_.reset();
  ++history_.refusals;
  open_.push_back({history_.requests.size(), bytes, room});
  Add(Op::kRefusedInPassing, bytes, NewBlock(0), QueueOf(queue));
}

void HistoryBuilder::AddSegment(uint64_t address, int64_t bytes) {
  bytes = ClampedBytes(bytes);
  if (const auto other = segments_.find(address); other != segments_.end()) {
    reserved_ -= other->second;  // its end was not recorded
  }
  segments_[address] = bytes;
  reserved_ += bytes;
  auto& peak = history_.recorded.peak_reserved;
  peak = std::max(peak.value_or(0), reserved_);
  // The rest of a partly released segment is not a new one.
  if (address >= last_given_.first && address < last_given_.second) return;
  if (emptied_) {
    history_.requests[*emptied_].bytes = held_before_emptied_ + bytes;
  }
  emptied_.reset();
}

void HistoryBuilder::RemoveSegment(uint64_t address) {
  const auto found = segments_.find(address);
  if (found == segments_.end()) return;
  if (!emptied_) {
    emptied_ = history_.requests.size();
    held_before_emptied_ = reserved_;
    Add(Op::kEmptyCache, 0, 0, 0);
  }
  reserved_ -= found->second;
  last_given_ = {address, address + static_cast<uint64_t>(found->second)};
  segments_.erase(found);
}

void HistoryBuilder::BeginSteps() {
  if (!first_of_steps_) {
    first_of_steps_ = static_cast<uint32_t>(history_.sites.size());
  }
}

void HistoryBuilder::EndStep(int64_t step) {
  sites_.EndStep(step);
  ++history_.steps;
  Add(Op::kStepEnd, step, 0, 0);
}

}  // namespace inquest::whatif
