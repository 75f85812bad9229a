// SPDX-License-Identifier: Apache-2.0
// Remembers by 64-bit hashes what has been recorded already: call stacks, cuDNN
// operations. Whoever enters a hash first also records the thing itself. Two
// things with the same hash count as one.
//
// Open addressing; a place, once taken, keeps its hash. Any thread, no locks,
// no allocation; constant-initialised, so it works before constructors have
// run.
#pragma once

#include <atomic>
#include <cstdint>

#include "collector/core/emit.h"

namespace inquest::collector {

template <uint32_t kEntries>  // a power of two
class SeenTable {
 public:
  struct Place {
    uint32_t number = 0;  // from 1; 0: no free place near it
    bool is_new = false;
  };

  // `hash` is not 0.
  Place Enter(uint64_t hash) {
    for (uint32_t probe = 0; probe < kMaxProbes; ++probe) {
      const auto at = static_cast<uint32_t>((hash + probe) & (kEntries - 1));
      uint64_t found = hashes_[at].load(std::memory_order_relaxed);
      if (found == 0 && hashes_[at].compare_exchange_strong(
                            found, hash, std::memory_order_relaxed)) {
        return {at + 1, true};
      }
      if (found == hash) return {at + 1, false};
    }
    return {};
  }

  bool Has(uint64_t hash) const {
    for (uint32_t probe = 0; probe < kMaxProbes; ++probe) {
      const uint64_t found = hashes_[(hash + probe) & (kEntries - 1)].load(
          std::memory_order_relaxed);
      if (found == hash) return true;
      if (found == 0) return false;
    }
    return false;
  }

  // Counts a hash without a place; the loss is recorded at 1, 2, 4, 8, …
  void CountLost(const char* kind, const char* why) {
    const uint64_t lost = lost_.fetch_add(1, std::memory_order_relaxed);
    if ((lost & (lost - 1)) != 0) return;
    EmitLoss(kind, static_cast<int64_t>(lost == 0 ? 1 : lost), why);
  }

  // In a forked child, whose trace has none of the parent's records. Pages that
  // were never written stay unwritten.
  void Forget() {
    for (std::atomic<uint64_t>& hash : hashes_) {
      if (hash.load(std::memory_order_relaxed) != 0) {
        hash.store(0, std::memory_order_relaxed);
      }
    }
    lost_.store(0);
  }

 private:
  static constexpr uint32_t kMaxProbes = 64;

  std::atomic<uint64_t> hashes_[kEntries];
  std::atomic<uint64_t> lost_{0};
};

}  // namespace inquest::collector
