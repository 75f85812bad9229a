// SPDX-License-Identifier: Apache-2.0
// Which blocks were live at the peak. The peak is known only afterwards, so the
// blocks freed since the highest moment so far are kept until a higher one
// comes. Constant time per event on average; memory is bounded by the blocks
// live at the peak. Called by the replay (replay.h); one for each device and
// layer. Bytes, the trace's clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "trace/store/ledger.h"

namespace inquest::memory {

struct PeakBlock {
  uint64_t address = 0;
  trace::Block block;
  int64_t freed = INT64_MAX;  // time; this: never
};

class Peak {
 public:
  // The peak before the replay's first event. Its blocks are known only if as
  // much is live now.
  void Resume(int64_t bytes, int64_t live, int64_t event, int64_t time) {
    bytes_ = bytes;
    time_ = time;
    if (live == bytes) event_ = event;
  }
  // `bytes` are held after this event.
  void OnHeld(int64_t bytes, const trace::MemoryEvent& event) {
    if (bytes <= bytes_) return;
    bytes_ = bytes;
    event_ = event.id;
    time_ = event.time;
    freed_.clear();
  }
  void OnFree(uint64_t address, const trace::Block& block, int64_t time) {
    if (block.event <= event_) freed_.push_back({address, block, time});
  }
  // A free had failed, so the block is live again. Rare; it is one of the last
  // freed blocks.
  void OnRestore(const trace::Block& block) {
    const auto last = std::find_if(
        freed_.rbegin(), freed_.rend(),
        [=](const PeakBlock& one) { return one.block.event == block.event; });
    if (last != freed_.rend()) freed_.erase(std::next(last).base());
  }

  bool is_known() const { return event_ > 0; }
  int64_t event() const { return event_; }
  int64_t time() const { return time_; }
  int64_t bytes() const { return bytes_; }
  const std::vector<PeakBlock>& freed() const { return freed_; }

 private:
  int64_t bytes_ = 0;
  int64_t event_ = 0;
  int64_t time_ = 0;
  std::vector<PeakBlock> freed_;
};

}  // namespace inquest::memory
