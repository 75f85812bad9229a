// SPDX-License-Identifier: Apache-2.0
// Counts how often keys occur, in sixteen bytes a key: most events of a run
// occur so seldom that nothing else about them is kept. For rhythm.h. Keys are
// not 0 and well mixed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace inquest::memory {

class EventCounts {
 public:
  struct Count {
    uint64_t key = 0;
    uint32_t times = 0;
    uint32_t mark = 0;  // the caller's
  };

  // Keys beyond `most` different ones are not counted.
  explicit EventCounts(size_t most) : most_(most), slots_(kFirstSlots) {}

  void Add(uint64_t key) {
    Count* count = At(key);
    if (count->key == 0) {
      if (used_ >= most_) return;
      if (++used_ * 2 > slots_.size()) {
        Grow();
        count = At(key);
      }
      count->key = key;
    }
    ++count->times;
  }
  // Null if it was not counted.
  const Count* Find(uint64_t key) {
    const Count* count = At(key);
    return count->key == 0 ? nullptr : count;
  }
  // How many different keys.
  size_t size() const { return used_; }
  template <typename Use>
  void ForEach(Use use) {
    for (Count& count : slots_) {
      if (count.key != 0) use(count);
    }
  }

 private:
  static constexpr size_t kFirstSlots = 1024;  // a power of two

  // Where the key is, or belongs.
  Count* At(uint64_t key) {
    const size_t mask = slots_.size() - 1;
    size_t slot = (key * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots_[slot].key != 0 && slots_[slot].key != key) {
      slot = (slot + 1) & mask;
    }
    return &slots_[slot];
  }
  void Grow() {
    std::vector<Count> before(slots_.size() * 2);
    before.swap(slots_);
    for (const Count& count : before) {
      if (count.key != 0) *At(count.key) = count;
    }
  }

  size_t most_;
  size_t used_ = 0;
  std::vector<Count> slots_;  // at least half of them empty
};

}  // namespace inquest::memory
