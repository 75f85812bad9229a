// SPDX-License-Identifier: Apache-2.0
// Holds a pthread mutex for a scope. The collector does not use std::mutex
// because a forked child has to reinitialize its mutexes, and because a fork
// waits for them only for a limited time.
#pragma once

#include <pthread.h>

namespace inquest {

class ScopedLock {
 public:
  explicit ScopedLock(pthread_mutex_t* mutex) : mutex_(mutex) {
    pthread_mutex_lock(mutex_);
  }
  ~ScopedLock() { pthread_mutex_unlock(mutex_); }
  ScopedLock(const ScopedLock&) = delete;
  ScopedLock& operator=(const ScopedLock&) = delete;

 private:
  pthread_mutex_t* mutex_;
};

}  // namespace inquest
