// SPDX-License-Identifier: Apache-2.0
#include "collector/core/thread_state.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

namespace inquest::collector {
namespace internal {
constinit thread_local int t_inside = 0;
constinit thread_local ThreadState* t_state = nullptr;
}  // namespace internal

namespace {

pthread_key_t g_key;
pthread_once_t g_once = PTHREAD_ONCE_INIT;

void Free(void* state) {
  internal::t_state = nullptr;
  delete static_cast<ThreadState*>(state);
}

void MakeKey() {
  pthread_key_create(&g_key, Free);
}

void Reset(ThreadState* state, uint32_t generation) {
  // In place: the thread may be on a small signal stack.
  state->~ThreadState();
  new (state) ThreadState;
  state->generation = generation;
  state->tid = static_cast<uint32_t>(syscall(SYS_gettid));
  state->is_first = state->tid == static_cast<uint32_t>(getpid());
}

}  // namespace

// Also called after a fork, for a new generation.
ThreadState* internal::MakeThreadState(uint32_t generation) {
  if (t_state == nullptr) {
    auto* made = new (std::nothrow) ThreadState;
    if (made == nullptr) return nullptr;
    pthread_once(&g_once, MakeKey);
    pthread_setspecific(g_key, made);
    t_state = made;
  }
  Reset(t_state, generation);
  return t_state;
}

uint32_t ThreadId() {
  const ThreadState* state = GetThreadState();
  return state != nullptr ? state->tid
                          : static_cast<uint32_t>(syscall(SYS_gettid));
}

}  // namespace inquest::collector
