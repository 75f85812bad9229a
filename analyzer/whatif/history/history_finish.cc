// SPDX-License-Identifier: Apache-2.0
// Computes what depends on the whole history.
#include <algorithm>

#include "analyzer/whatif/history/block_uses.h"
#include "analyzer/whatif/history/history_builder.h"

namespace inquest::whatif {
// Joins adjacent ranges of growing segments, as the pool does.
void HistoryBuilder::JoinGrowing() {
  for (auto at = before_.begin(); at != before_.end();) {
    auto next = std::next(at);
    while (at->second.grows && next != before_.end() && next->second.grows &&
           at->first + static_cast<uint64_t>(at->second.bytes) == next->first) {
      at->second.bytes += next->second.bytes;
      if (!at->second.queue) at->second.queue = next->second.queue;
      if (!at->second.small) at->second.small = next->second.small;
      next = before_.erase(next);
    }
    at = next;
  }
}

// A block ends where the next one could begin: after rounding, and in the large
// pool after a rest that was too small to be split off.
void HistoryBuilder::PlaceBlocks() {
  JoinGrowing();
  auto block = placed_.begin();
  for (const auto& [address, segment] : before_) {
    const uint64_t end = address + static_cast<uint64_t>(segment.bytes);
    const bool small =
        segment.small.value_or(!segment.grows && segment.bytes == kPage);
    const uint16_t queue = QueueOf(segment.queue.value_or(QueueKey{}));
    history_.segments.push_back(
        {address, segment.bytes, queue, small, segment.grows});
    auto& blocks = history_.placed.emplace_back();
    while (block != placed_.end() && block->first < address) ++block;
    for (; block != placed_.end() && block->first < end; ++block) {
      const auto after = std::next(block);
      const uint64_t limit =
          after != placed_.end() ? std::min(end, after->first) : end;
      const auto room = static_cast<int64_t>(limit - block->first);
      const Live& live = block->second;
      int64_t bytes = std::min(history_.settings.RoundSize(live.bytes), room);
      const bool splits =
          history_.settings.SplitsOff(bytes, room - bytes, segment.grows);
      if (!small && !splits) bytes = room;
      blocks.push_back({live.block, block->first, bytes});
      history_.before[live.block].queue = queue;
    }
  }
}

// The run died of the last refused request that was not granted later.
void HistoryBuilder::FinishRefusals() {
  if (open_.empty()) return;
  const OpenRefusal& last = open_.back();
  history_.requests[last.request].op = Op::kRefused;
  history_.room.bytes = last.room;
  history_.died = last.request;
}

void HistoryBuilder::FinishPersistence() {
  const size_t blocks = history_.sites.size();
  auto& persistent = history_.persistent;
  persistent.assign(blocks, false);
  std::vector<bool> live(blocks, false);
  for (const auto& [address, one] : live_) live[one.block] = true;
  for (size_t i = 0; i < blocks; ++i) {
    if (history_.steps > 0) {
      const bool outlived = live[i] && made_in_[i] < history_.steps;
      persistent[i] = kept_[i] || outlived;
    } else if (first_of_steps_) {
      persistent[i] = i < *first_of_steps_;
    } else {
      persistent[i] = live[i] && i < history_.before.size();
    }
  }
  history_.uses = FindBlockUses(
      made_in_,
      [this](uint32_t site) {
        const memory::Frame& frame = sites_.sites()[site].frames.front();
        return frame.file.empty() || frame.line == 0 ? "" : frame.function;
      },
      &history_);
  history_.persistence =
      history_.steps > 0 ? "memory that outlived a step stays"
      : first_of_steps_  ? "memory from before the first step stays"
      : !history_.before.empty()
          ? "memory that was live during the whole record stays"
          : "";
}

History HistoryBuilder::Finish() {
  history_.before.resize(placed_.size());
  for (const auto& [address, live] : placed_) {
    history_.before[live.block] = {live.bytes, live.block, 0, Op::kAllocate};
  }
  PlaceBlocks();
  FinishRefusals();
  FinishPersistence();
  return std::move(history_);
}

}  // namespace inquest::whatif
