// SPDX-License-Identifier: Apache-2.0
// A cache of numbers by key. If two keys share a place, the later one replaces
// the earlier. A value that is not found must be computed again. Any thread, no
// locks, no allocation; constant-initialised, so it works before constructors
// have run.
#pragma once

#include <atomic>
#include <cstdint>

namespace inquest::collector {

template <uint32_t kEntries>  // a power of two
class PairCache {
 public:
  // `key` is neither 0 nor kWriting.
  bool Find(uint64_t key, uint64_t* value) const {
    const Entry& entry = At(key);
    if (entry.key.load(std::memory_order_acquire) != key) return false;
    *value = entry.value.load(std::memory_order_acquire);
    return entry.key.load(std::memory_order_relaxed) == key;
  }
  // Does nothing while another thread writes in the same place.
  void Keep(uint64_t key, uint64_t value) {
    Entry& entry = At(key);
    uint64_t before = entry.key.load(std::memory_order_relaxed);
    if (before == kWriting ||
        !entry.key.compare_exchange_strong(before, kWriting,
                                           std::memory_order_acq_rel)) {
      return;
    }
    entry.value.store(value, std::memory_order_release);
    entry.key.store(key, std::memory_order_release);
  }
  void Drop(uint64_t key) {
    At(key).key.compare_exchange_strong(key, 0, std::memory_order_acq_rel);
  }
  // In a forked child: a thread of the parent may have been writing.
  void Forget() {
    for (Entry& entry : entries_) {
      if (entry.key.load(std::memory_order_relaxed) != 0) entry.key.store(0);
    }
  }

 private:
  static constexpr uint64_t kWriting = 1;
  struct Entry {
    std::atomic<uint64_t> key{0};
    std::atomic<uint64_t> value{0};
  };
  const Entry& At(uint64_t key) const {
    return entries_[key * 0x9e3779b97f4a7c15u >> 32 & (kEntries - 1)];
  }
  Entry& At(uint64_t key) {
    return entries_[key * 0x9e3779b97f4a7c15u >> 32 & (kEntries - 1)];
  }

  Entry entries_[kEntries];
};

}  // namespace inquest::collector
