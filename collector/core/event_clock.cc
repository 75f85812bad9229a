// SPDX-License-Identifier: Apache-2.0
#include "collector/core/event_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

namespace inquest::collector {
namespace internal {
constinit std::atomic<const ClockTie*> g_clock_tie{nullptr};
}  // namespace internal

#if defined(__x86_64__)
namespace {

// So many that a thread that is stopped while reading one finds it unchanged
// for more than ten seconds.
constexpr size_t kTies = 64;
ClockTie g_ties[kTies];
size_t g_next = 0;

struct Reading {
  uint64_t ticks = 0;
  int64_t ns = 0;
};
Reading g_last;

// Reads both as nearly at once as possible: the quickest of some tries.
Reading ReadBoth() {
  Reading best;
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const uint64_t before = __rdtsc();
    const int64_t ns = trace::MonotonicNs();
    const uint64_t took = __rdtsc() - before;
    if (took < least) {
      least = took;
      best = {before + took / 2, ns};
    }
  }
  return best;
}

bool ReadCounterKeepsTheClock() {
  const int fd =
      open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
           O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char name[8] = "";
  const ssize_t got = read(fd, name, sizeof name - 1);
  close(fd);
  return got >= 3 && std::strncmp(name, "tsc", 3) == 0;
}

bool CounterKeepsTheClock() {
  static const bool keeps = ReadCounterKeepsTheClock();
  return keeps;
}

void Publish(const Reading& now, double ns_per_tick) {
  ClockTie& tie = g_ties[g_next++ % kTies];
  tie.ticks.store(now.ticks);
  tie.ns.store(now.ns);
  tie.per_tick.store(static_cast<uint64_t>(
      ns_per_tick * static_cast<double>(uint64_t{1} << ClockTie::kShift)));
  tie.for_ticks.store(static_cast<uint64_t>(1e9 / ns_per_tick));
  internal::g_clock_tie.store(&tie, std::memory_order_release);
}

}  // namespace

void TieClock() {
  constexpr int64_t kMinNs = 50'000'000;  // for a precise slope
  constexpr double kMinNsPerTick = 0.1;   // nanoseconds a tick: 10 GHz
  constexpr double kMaxNsPerTick = 2;
  if (!CounterKeepsTheClock()) return;
  const Reading now = ReadBoth();
  const Reading last = g_last;
  if (last.ticks != 0 && now.ns - last.ns < kMinNs) return;
  g_last = now;
  if (last.ticks == 0 || now.ticks <= last.ticks) return UntieClock();
  const double slope = static_cast<double>(now.ns - last.ns) /
                       static_cast<double>(now.ticks - last.ticks);
  if (slope < kMinNsPerTick || slope > kMaxNsPerTick) return UntieClock();
  Publish(now, slope);
}

#else
void TieClock() {}
#endif

void UntieClock() {
  internal::g_clock_tie.store(nullptr, std::memory_order_release);
}

}  // namespace inquest::collector
