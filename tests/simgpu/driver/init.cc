// SPDX-License-Identifier: Apache-2.0
// cuInit, the version, the injection library, and the thread's context stack.
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/config.h"
#include "core/shared_usage.h"
#include "driver/api.h"
#include "driver/objects.h"

namespace simgpu::driver {
namespace {

enum class State { kFresh, kReady, kForked };

std::atomic<State> g_state{State::kFresh};
std::mutex g_init_mutex;

thread_local std::vector<CUcontext> t_contexts;

// A context does not survive fork(): each call in the child returns an error.
void AfterFork() {
  if (g_state.load() == State::kReady) g_state.store(State::kForked);
}

// The driver loads the library named by CUDA_INJECTION64_PATH once and calls
// its InitializeInjection; a library it cannot use is silently ignored.
void LoadInjection() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || *path == '\0') return;
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return;
  using Initialize = int (*)();
  auto* initialize =
      reinterpret_cast<Initialize>(dlsym(library, "InitializeInjection"));
  if (initialize != nullptr) initialize();
}

__attribute__((destructor)) void LeaveSharedDevice() {
  if (g_state.load() == State::kReady) SharedUsage::Get().Leave();
}

}  // namespace

bool Initialised() {
  return g_state.load(std::memory_order_relaxed) == State::kReady;
}

CUresult InitialisedOrError() {
  return Initialised() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUcontext Current() {
  return t_contexts.empty() ? nullptr : t_contexts.back();
}

void Push(CUcontext context) {
  t_contexts.push_back(context);
  ++context->blocked;
}

CUcontext Pop() {
  if (t_contexts.empty()) return nullptr;
  CUcontext top = t_contexts.back();
  t_contexts.pop_back();
  if (IsLive(top)) --top->blocked;
  return top;
}

void SetCurrent(CUcontext context) {
  Pop();
  if (context != nullptr) Push(context);
}

CUresult cuInit(unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (g_state.load() == State::kForked) return CUDA_ERROR_NOT_INITIALIZED;
  if (Initialised()) return CUDA_SUCCESS;
  {
    const std::lock_guard lock(g_init_mutex);
    if (Initialised()) return CUDA_SUCCESS;
    ReportConfigComplaints();
    if (GetConfig().devices == 0) return CUDA_ERROR_NO_DEVICE;
    Devices();
    StartFaultClock();
    pthread_atfork(nullptr, nullptr, AfterFork);
    g_state.store(State::kReady);
  }
  // Outside the lock: the injected library calls back into the driver.
  LoadInjection();
  EmitInitialised();
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = GetConfig().driver_version;
  return CUDA_SUCCESS;
}

}  // namespace simgpu::driver
