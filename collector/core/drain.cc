// SPDX-License-Identifier: Apache-2.0
#include "collector/core/drain.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <atomic>

#include "base/scoped_lock.h"
#include "collector/core/drainer.h"
#include "collector/core/emit.h"
#include "collector/core/futex.h"
#include "collector/core/guard.h"
#include "collector/core/source.h"
#include "collector/core/sqlite_files.h"
#include "collector/core/thread_state.h"

namespace inquest::collector {
namespace {

constexpr int kIdleMs = 250;
constexpr int kStalledStepMs =
    10;  // how often a stalled drain checks for the end
constexpr int kPromptFailures = 4;
constexpr int kFailureWaitMs = 100;
// Longer the first time: NVML may not be loaded yet.
constexpr int kFirstFailureWaitMs = 1000;
constexpr int64_t kFailureGapNs = 1'000'000'000;

enum WantedSample : uint32_t {
  kNoSample = 0,
  kFailureSample = 1,
  kEndSample = 2
};
// How long a fork waits for the drain to pause.
constexpr time_t kLongestHoldSeconds = 2;

enum Ended : uint32_t { kRunning = 0, kUnfinished = 1, kWhole = 2 };

std::atomic<uint32_t> g_wake{0};
std::atomic<uint32_t> g_ended{kRunning};
std::atomic<bool> g_stop{false};
std::atomic<bool> g_running{false};
std::atomic<uint32_t> g_sample_wanted{0};
std::atomic<uint32_t> g_sample_done{0};
std::atomic<int> g_failures{0};
std::atomic<int64_t> g_last_failure_ns{0};
pthread_mutex_t g_in_sqlite = PTHREAD_MUTEX_INITIALIZER;
// Held while this thread may be inside the dynamic loader: a child that is
// forked during a dlopen gets the loader's state half changed, and dies at its
// own next dlopen. (glibc: "dl_open_worker_begin: Assertion … failed".) Taken
// before g_in_sqlite if both are needed.
pthread_mutex_t g_in_loader = PTHREAD_MUTEX_INITIALIZER;
bool g_sqlite_held = false;
bool g_loader_held = false;
Drainer* g_drainer = nullptr;  // used by its own thread only

void SampleAsked() {
  const uint32_t wanted = g_sample_wanted.exchange(kNoSample);
  if (wanted == kNoSample) return;
  {
    const ScopedLock loader(&g_in_loader);
    const char* reason = wanted == kEndSample ? "end" : "failure";
    for (const Source* source : Sources()) {
      if (source->sample != nullptr) source->sample(reason);
    }
  }
  g_sample_done.fetch_add(1, std::memory_order_release);
  FutexWake(&g_sample_done);
}

// Sleeps until there is work, or for a while if none can be done.
void Rest(bool stored) {
  if (!stored) {
    for (int i = 0; i < kIdleMs && !g_stop.load(); i += kStalledStepMs) {
      const timespec pause{0, kStalledStepMs * 1'000'000};
      nanosleep(&pause, nullptr);
    }
  } else if (g_wake.load(std::memory_order_acquire) == 0) {
    FutexWait(&g_wake, 0, kIdleMs);
  }
  g_wake.store(0, std::memory_order_release);
}

void RunDrain(Drainer* drainer) {
  {
    const ScopedLock loader(&g_in_loader);
    for (const Source* source : Sources()) {
      if (source->start_in_background != nullptr) {
        source->start_in_background();
      }
    }
  }
  while (!g_stop.load(std::memory_order_acquire)) {
    const bool stored = drainer->CanWait() || drainer->DrainAll();
    if (Current() == nullptr) return;  // switched off
    {
      const ScopedLock loader(&g_in_loader);
      drainer->Housekeep();
    }
    SampleAsked();
    Rest(stored);
  }
  SampleAsked();
  if (drainer->Finish()) g_ended.store(kWhole, std::memory_order_release);
}

void* ThreadMain(void* argument) {
  pthread_setname_np(pthread_self(), "inquest");
  InsideScope inside;  // for good: no call of this thread is the host's
  WithoutThrowing([argument] {
    Drainer drainer(static_cast<Session*>(argument), &g_in_sqlite);
    g_drainer = &drainer;
    RunDrain(&drainer);
  });
  g_drainer = nullptr;
  uint32_t running = kRunning;
  g_ended.compare_exchange_strong(running, kUnfinished);
  g_running.store(false);
  FutexWake(&g_ended);
  return nullptr;
}

}  // namespace

bool StartDrain(Session* session) {
  SetUpSqlite();
  g_stop.store(false);
  g_ended.store(kRunning);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 1u << 20);
  // The thread inherits the mask, so it never handles the host's signals. A
  // blocked SIGBUS would end the process, though the journal could be rescued.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  g_running.store(true);
  const int error = pthread_create(&thread, &attributes, ThreadMain, session);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0) g_running.store(false);
  return error == 0;
}

bool StopDrain(int timeout_ms) {
  if (!g_running.load()) return g_ended.load() == kWhole;
  g_stop.store(true, std::memory_order_release);
  WakeDrain();
  const int64_t deadline = MonotonicNs() + int64_t{timeout_ms} * 1'000'000;
  while (g_ended.load(std::memory_order_acquire) == kRunning ||
         g_running.load()) {
    if (MonotonicNs() > deadline) return false;
    FutexWait(&g_ended, 0, 20);
  }
  return g_ended.load() == kWhole;
}

void WakeDrainForRoom() {
  if (g_wake.load(std::memory_order_relaxed) == 0) WakeDrain();
}

void WakeDrain() {
  if (g_wake.exchange(1, std::memory_order_acq_rel) == 0) FutexWake(&g_wake);
}

void RequestFailureSample() {
  if (!g_running.load() || Current() == nullptr) return;
  const int count = g_failures.fetch_add(1, std::memory_order_relaxed);
  const int64_t now = MonotonicNs();
  const int64_t last = g_last_failure_ns.exchange(now);
  if (count >= kPromptFailures && now - last < kFailureGapNs) return;
  const uint32_t done = g_sample_done.load(std::memory_order_acquire);
  g_sample_wanted.store(kFailureSample, std::memory_order_release);
  WakeDrain();
  // The process may be about to die of this failure: give the drain a moment.
  if (count < kPromptFailures) {
    FutexWait(&g_sample_done, done,
              count == 0 ? kFirstFailureWaitMs : kFailureWaitMs);
  }
}

void TakeEndSample() {
  if (!g_running.load()) return;
  const uint32_t done = g_sample_done.load(std::memory_order_acquire);
  g_sample_wanted.store(kEndSample, std::memory_order_release);
  WakeDrain();
  FutexWait(&g_sample_done, done, kFailureWaitMs);
}

void MakeRoom() {
  if (g_drainer != nullptr) g_drainer->MakeRoom();
}

bool HoldDrainForFork() {
  g_sqlite_held = g_loader_held = false;
  if (!g_running.load()) return true;
  timespec limit{};
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += kLongestHoldSeconds;
  g_loader_held = pthread_mutex_timedlock(&g_in_loader, &limit) == 0;
  g_sqlite_held = pthread_mutex_timedlock(&g_in_sqlite, &limit) == 0;
  return g_sqlite_held;
}

void ReleaseDrainAfterFork() {
  if (g_sqlite_held) pthread_mutex_unlock(&g_in_sqlite);
  if (g_loader_held) pthread_mutex_unlock(&g_in_loader);
}

void ForgetDrainInChild() {
  g_running.store(false);
  g_stop.store(false);
  g_ended.store(kRunning);
  g_wake.store(0);
  g_sample_wanted.store(0);
  g_failures.store(0);
  pthread_mutex_init(&g_in_sqlite, nullptr);
  pthread_mutex_init(&g_in_loader, nullptr);
}

}  // namespace inquest::collector
