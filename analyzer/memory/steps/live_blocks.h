// SPDX-License-Identifier: Apache-2.0
// The sizes of live blocks by their key, a table without a node for each: a
// rhythm is looked for in hundreds of thousands of events. For rhythm.h and
// rhythm_judge.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace inquest::memory {

class LiveBlocks {
 public:
  void Put(uint64_t key, int64_t bytes) {
    if (key == 0) key = kZero;
    if (used_ * 2 >= slots_.size()) Grow();
    Slot& slot = slots_[At(key)];
    used_ += slot.key == 0 ? 1 : 0;
    slot = {key, bytes};
  }
  // Its size, if it was live.
  std::optional<int64_t> Take(uint64_t key) {
    const size_t at = At(key == 0 ? kZero : key);
    if (slots_[at].key == 0) return {};
    const int64_t bytes = slots_[at].bytes;
    Empty(at);
    return bytes;
  }

 private:
  static constexpr size_t kFirstSlots = 1024;    // a power of two
  static constexpr uint64_t kZero = UINT64_MAX;  // stands for the key 0
  struct Slot {
    uint64_t key = 0;  // 0: empty
    int64_t bytes = 0;
  };

  size_t Home(uint64_t key) const {
    return (key * 0x9e3779b97f4a7c15u >> 32) & (slots_.size() - 1);
  }
  size_t Next(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
  // Where the key is, or belongs.
  size_t At(uint64_t key) const {
    size_t slot = Home(key);
    while (slots_[slot].key != 0 && slots_[slot].key != key) slot = Next(slot);
    return slot;
  }
  // Those behind it move up, so that each is found from its home on.
  void Empty(size_t hole) {
    const size_t mask = slots_.size() - 1;
    for (size_t at = Next(hole); slots_[at].key != 0; at = Next(at)) {
      const size_t way = (at - Home(slots_[at].key)) & mask;
      if (way < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --used_;
  }
  void Grow() {
    std::vector<Slot> before(slots_.size() * 2);
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.key != 0) slots_[At(slot.key)] = slot;
    }
  }

  size_t used_ = 0;
  std::vector<Slot> slots_ = std::vector<Slot>(kFirstSlots);
};

}  // namespace inquest::memory
