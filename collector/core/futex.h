// SPDX-License-Identifier: Apache-2.0
// Sleeping on a word until another thread changes it. FutexWake may be called
// from a signal handler.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace inquest::collector {

// Sleeps while the word has this value, at most so long.
inline void FutexWait(std::atomic<uint32_t>* word, uint32_t value,
                      int milliseconds) {
  const timespec limit{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAIT_PRIVATE,
          value, &limit, nullptr, 0);
}

inline void FutexWake(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAKE_PRIVATE,
          INT_MAX, nullptr, nullptr, 0);
}

}  // namespace inquest::collector
