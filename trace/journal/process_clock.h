// SPDX-License-Identifier: Apache-2.0
// The two clocks of a trace and the facts that distinguish a process from a
// later one with the same number. Linux only; no failure is fatal, unknown is
// 0.
#pragma once

#include <cstdint>

namespace inquest::trace {

int64_t MonotonicNs();
int64_t RealtimeNs();

// Field 22 of /proc/PID/stat: when the process began, in clock ticks since the
// machine booted; 0 if there is no such process or it is a zombie.
uint64_t ProcessStart(int64_t pid);
uint64_t PidNamespace();
uint64_t BootHash();

}  // namespace inquest::trace
