// SPDX-License-Identifier: Apache-2.0
// Limits how many events of a kind are recorded per second and counts the rest
// as lost. A count is recorded when it has doubled, or in the next second, so
// that even after a kill at least half of the losses are known. For events that
// a host can send in floods, such as NVTX ranges. Any thread; no lock and no
// allocation.
#pragma once

#include <atomic>
#include <cstdint>

#include "collector/core/emit.h"

namespace inquest::collector {

class EventRate {
 public:
  constexpr EventRate(int64_t most_a_second, const char* kind)
      : most_(most_a_second), kind_(kind) {}

  bool Admits(int64_t now) {
    const int64_t second = now / 1'000'000'000;
    if (second_.load(std::memory_order_relaxed) != second &&
        second_.exchange(second, std::memory_order_relaxed) != second) {
      admitted_.store(0, std::memory_order_relaxed);
      EmitLost(lost_.load(std::memory_order_relaxed));
    }
    if (admitted_.load(std::memory_order_relaxed) < most_ &&
        admitted_.fetch_add(1, std::memory_order_relaxed) < most_) {
      return true;
    }
    const int64_t lost = lost_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (lost >= 2 * emitted_.load(std::memory_order_relaxed)) EmitLost(lost);
    return false;
  }

 private:
  void EmitLost(int64_t lost) {
    int64_t emitted = emitted_.load(std::memory_order_relaxed);
    if (lost <= emitted || !emitted_.compare_exchange_strong(emitted, lost))
      return;
    EmitLoss(kind_, lost - emitted, "more ranges a second than are kept");
  }

  const int64_t most_;
  const char* const kind_;
  std::atomic<int64_t> second_{0};
  std::atomic<int64_t> admitted_{0};  // in this second
  std::atomic<int64_t> lost_{0};
  std::atomic<int64_t> emitted_{0};
};

}  // namespace inquest::collector
