// SPDX-License-Identifier: Apache-2.0
// The two clocks of a trace and the facts that distinguish a process from a
// later one with the same number. Linux only; no failure is fatal, unknown is
// 0.
#pragma once

#include <cstdint>

namespace inquest::trace {

int64_t MonotonicNs();
int64_t RealtimeNs();
int64_t SinceBootNs();  // sleep included, as the kernel counts starts

// What /proc says of a process or a thread of one.
struct TaskStat {
  char name[16] = "";  // cut
  char state = 0;      // R, S, D, Z …
  int64_t threads = 0;
  uint64_t start = 0;  // in clock ticks since the machine booted
};
// Of a file such as /proc/PID/stat; false if it cannot be read.
bool ReadTaskStat(const char* path, TaskStat* stat);

// When the process began, in clock ticks since the machine booted; 0 if there
// is no such process or it is a zombie.
uint64_t ProcessStart(int64_t pid);
uint64_t PidNamespace();
uint64_t BootHash();

}  // namespace inquest::trace
