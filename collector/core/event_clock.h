// SPDX-License-Identifier: Apache-2.0
// The time of an event, as trace::MonotonicNs gives it, at a lower cost: read
// from the processor's counter, which the background thread calibrates against
// the clock a few times a second (a tie). Only if the kernel's clock uses that
// counter (x86-64, clock source "tsc"); without a tie, or if the last one is
// older than a second, the clock itself is read. May differ from the clock by
// well under a microsecond, so it may step back by as much; the order of events
// is that of the journal. Any thread, signal handlers included.
#pragma once

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <atomic>
#include <cstdint>

#include "trace/journal/process_clock.h"

namespace inquest::collector {

struct ClockTie {
  static constexpr int kShift = 28;
  std::atomic<uint64_t> ticks;      // the counter at
  std::atomic<int64_t> ns;          // this time
  std::atomic<uint64_t> per_tick;   // nanoseconds << kShift
  std::atomic<uint64_t> for_ticks;  // how long it is valid
};

namespace internal {
extern constinit std::atomic<const ClockTie*> g_clock_tie;
}

inline int64_t NowNs() {
#if defined(__x86_64__)
  const ClockTie* tie = internal::g_clock_tie.load(std::memory_order_acquire);
  if (tie != nullptr) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const uint64_t passed = __rdtsc() - tie->ticks.load(kRelaxed);
    if (passed < tie->for_ticks.load(kRelaxed)) {
      return tie->ns.load(kRelaxed) +
             static_cast<int64_t>(passed * tie->per_tick.load(kRelaxed) >>
                                  ClockTie::kShift);
    }
  }
#endif
  return trace::MonotonicNs();
}

// Calibrates the counter again. Background thread, a few times a second.
void TieClock();
// In a forked child, which has no such thread yet.
void UntieClock();

}  // namespace inquest::collector
