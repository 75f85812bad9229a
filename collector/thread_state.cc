#include "collector/thread_state.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "collector/session.h"

namespace inquest::collector {
namespace internal {
constinit thread_local int t_inside = 0;
}  // namespace internal

namespace {

thread_local ThreadState* t_state = nullptr;
pthread_key_t g_key;
pthread_once_t g_once = PTHREAD_ONCE_INIT;

void Free(void* state) {
  t_state = nullptr;
  delete static_cast<ThreadState*>(state);
}

void MakeKey() {
  pthread_key_create(&g_key, Free);
}

void Reset(ThreadState* state, uint32_t generation) {
  *state = ThreadState();
  state->generation = generation;
  state->tid = static_cast<uint32_t>(syscall(SYS_gettid));
}

}  // namespace

ThreadState* GetThreadState() {
  Session* session = Current();
  const uint32_t generation = session == nullptr ? 0 : session->generation;
  if (t_state == nullptr) {
    auto* made = new (std::nothrow) ThreadState;
    if (made == nullptr) return nullptr;
    pthread_once(&g_once, MakeKey);
    pthread_setspecific(g_key, made);
    Reset(made, generation);
    t_state = made;
  }
  if (t_state->generation != generation) Reset(t_state, generation);
  return t_state;
}

uint32_t ThreadId() {
  const ThreadState* state = GetThreadState();
  return state != nullptr ? state->tid
                          : static_cast<uint32_t>(syscall(SYS_gettid));
}

}  // namespace inquest::collector
