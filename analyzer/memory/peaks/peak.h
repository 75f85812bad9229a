// Which blocks were live when most was held. That a moment was the peak shows
// only afterwards, so what was live at the highest so far is kept up as the
// replay goes: blocks freed since then are remembered until something higher
// comes. Constant time an event on the average; memory is bounded by the blocks
// live at the peak. Fed by the replay (replay.h); one for each device and
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
  int64_t freed = INT64_MAX;  // when; not at all
};

class Peak {
 public:
  // As high as it was before the replay began at this event. Which blocks these
  // were is known only if as much is live now.
  void Resume(int64_t bytes, int64_t live, int64_t event, int64_t time) {
    bytes_ = bytes;
    time_ = time;
    if (live == bytes) event_ = event;
  }
  void Holds(int64_t bytes, const trace::MemoryEvent& event) {
    if (bytes <= bytes_) return;
    bytes_ = bytes;
    event_ = event.id;
    time_ = event.time;
    freed_.clear();
  }
  void Gone(uint64_t address, const trace::Block& block, int64_t time) {
    if (block.event <= event_) freed_.push_back({address, block, time});
  }
  // One gone is there again: its free had failed. Seldom, and one of the last.
  void Back(const trace::Block& block) {
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
