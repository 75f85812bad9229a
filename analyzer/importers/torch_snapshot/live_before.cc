// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/torch_snapshot/live_before.h"

#include <algorithm>
#include <unordered_set>

namespace inquest::importers {
namespace {

class Backwards {
 public:
  explicit Backwards(LiveBefore* before) : before_(before) {}

  void Add(const PoolEvent& event) {
    ++before_->entries[static_cast<size_t>(event.action)];
    NoteTime(event.time_us);
    switch (event.action) {
      case PoolAction::kAlloc:
        made_.insert(event.address);
        break;
      case PoolAction::kFree:
      case PoolAction::kFreeCompleted:
        Free(event);
        break;
      case PoolAction::kSegmentAlloc:
      case PoolAction::kSegmentMap:
        taken_.Add({event.address, event.bytes, 0});
        break;
      case PoolAction::kSegmentFree:
        GiveBack(event, kWholeSegment);
        break;
      case PoolAction::kSegmentUnmap:
        GiveBack(event, kMappedPart);
        break;
      default:
        break;
    }
  }

  void AddAtEnd(const PoolBlock& block) {
    if (block.state == BlockState::kInactive) return;
    if (made_.erase(block.address) == 0) before_->blocks.push_back(block);
  }

  void AddAtEnd(const PoolSegment& segment) {
    const uint32_t tag = segment.expandable ? kMappedPart : kWholeSegment;
    Unknown(taken_.Remove(segment.address, segment.bytes), tag);
  }

  void Finish() { before_->unmatched = made_.size(); }

 private:
  void NoteTime(int64_t time_us) {
    if (time_us == 0) return;
    auto& [first, last] = times_;
    first = first == 0 ? time_us : std::min(first, time_us);
    last = std::max(last, time_us);
    before_->first_us = first;
    before_->last_us = last;
  }

  void Free(const PoolEvent& event) {
    if (made_.erase(event.address) > 0) return;
    PoolBlock block;
    block.address = event.address;
    block.requested = event.bytes;
    block.bytes = event.bytes;
    block.state = BlockState::kActive;
    before_->blocks.push_back(block);
  }

  void GiveBack(const PoolEvent& event, uint32_t tag) {
    const auto removal = taken_.Remove(event.address, event.bytes);
    for (const AddressRange& rest : removal.rest) taken_.Add(rest);
    Unknown(removal, tag);
  }

  void Unknown(const HeldRanges::Removal& removal, uint32_t tag) {
    for (AddressRange range : removal.unknown) {
      range.tag = tag;
      before_->ranges.push_back(range);
    }
  }

  LiveBefore* before_;
  std::unordered_set<uint64_t> made_;  // by the history, and live
  HeldRanges taken_;                   // by the history, and held
  std::pair<int64_t, int64_t> times_ = {0, 0};
};

}  // namespace

LiveBefore FindLiveBefore(TorchSnapshot* snapshot, int64_t device) {
  LiveBefore before;
  Backwards backwards(&before);
  const auto index = static_cast<size_t>(device);
  if (index < snapshot->histories.size()) {
    for (const auto& [from, to] : snapshot->histories[index]) {
      EventSpool::Reader reader(&snapshot->events, from, to);
      while (const PoolEvent* event = reader.Next()) backwards.Add(*event);
    }
  }
  for (const PoolSegment& segment : snapshot->segments) {
    if (segment.device != device) continue;
    backwards.AddAtEnd(segment);
    for (uint32_t i = 0; i < segment.blocks; ++i) {
      const uint32_t block = snapshot->segment_blocks[segment.first_block + i];
      backwards.AddAtEnd(snapshot->blocks[block]);
    }
  }
  backwards.Finish();
  return before;
}

int64_t DevicesOf(const TorchSnapshot& snapshot) {
  auto devices = static_cast<int64_t>(snapshot.histories.size());
  for (const PoolSegment& segment : snapshot.segments) {
    devices = std::max(devices, segment.device + 1);
  }
  return std::min<int64_t>(devices, 128);  // the most that a trace can number
}

}  // namespace inquest::importers
