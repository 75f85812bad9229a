// SPDX-License-Identifier: Apache-2.0
#include "cudnn/report.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>

#include "core/fault.h"
#include "cudnn/handle.h"
#include "cudnn/version.h"
#include "cudnn_status_names.h"

namespace simgpu::cudnn {
namespace {

struct Callback {
  unsigned mask = 0;
  void* data = nullptr;
  cudnnCallback_t function = nullptr;
};

std::mutex g_mutex;
Callback g_callback;
thread_local std::string t_last_error;
const time_t g_start = time(nullptr);

Callback CurrentCallback() {
  const std::lock_guard lock(g_mutex);
  return g_callback;
}

void AddLine(std::string* message, const char* line) {
  message->append(line);
  message->push_back('\0');
}

void Describe(const timespec& now, const cudnnDebug_t& debug,
              std::string* message) {
  char line[256];
  char stamp[32];
  tm local{};
  localtime_r(&now.tv_sec, &local);
  std::strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &local);
  const unsigned since = debug.time_delta;
  std::snprintf(line, sizeof line,
                "Time: %s.%06u (%ud+%uh+%um+%us since start)", stamp,
                debug.time_usec, since / 86400, since / 3600 % 24,
                since / 60 % 60, since % 60);
  AddLine(message, line);
  char handle[32] = "NULL";
  if (debug.handle) std::snprintf(handle, sizeof handle, "%p", debug.handle);
  std::snprintf(line, sizeof line,
                "Process=%llu; Thread=%llu; GPU=%s; Handle=%s; StreamId=%s.",
                debug.pid, debug.tid, debug.handle ? "0" : "NULL", handle,
                debug.handle ? "0 (defaultStream)" : "NULL");
  AddLine(message, line);
}

void Deliver(const Callback& callback, const char* function,
             cudnnHandle_t handle, cudnnStatus_t status, const char* reason) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  cudnnDebug_t debug = {};
  debug.cudnn_version = static_cast<unsigned>(MainVersion());
  debug.cudnnStatus = status;
  debug.time_sec = static_cast<unsigned>(now.tv_sec);
  debug.time_usec = static_cast<unsigned>(now.tv_nsec / 1000);
  debug.time_delta = static_cast<unsigned>(now.tv_sec - g_start);
  debug.handle = handle;
  debug.stream = handle ? handle->stream : nullptr;
  debug.pid = static_cast<unsigned long long>(getpid());
  debug.tid = static_cast<unsigned long long>(syscall(SYS_gettid));
  std::string message;
  char line[512];
  std::snprintf(line, sizeof line,
                "CuDNN (v%zu 0) function %s() called:", MainVersion(),
                function);
  AddLine(&message, line);
  std::snprintf(line, sizeof line, "        Error: %s; Reason: %s",
                StatusName(status), reason);
  AddLine(&message, line);
  Describe(now, debug, &message);
  message.push_back('\0');
  callback.function(CUDNN_SEV_ERROR, callback.data, &debug, message.c_str());
}

}  // namespace

Call::Call(const char* function, cudnnHandle_t handle)
    : function_(function), handle_(handle) {
  FaultHit hit;
  if (!CallFaultsArmed() || !HitFault(function, &hit)) return;
  injected_ = static_cast<cudnnStatus_t>(hit.result);
  Fail(injected_, "injected by SIMGPU_FAULT");
}

cudnnStatus_t Call::Fail(cudnnStatus_t status, const char* reason) const {
  t_last_error = reason;
  const Callback callback = CurrentCallback();
  if (callback.function && (callback.mask & CUDNN_SEV_ERROR_EN) != 0) {
    Deliver(callback, function_, handle_, status, reason);
  }
  return status;
}

const char* StatusName(cudnnStatus_t status) {
  for (const ErrorName& name : kCudnnStatusNames) {
    if (name.code == static_cast<int>(status)) return name.name;
  }
  return "CUDNN_UNKNOWN_STATUS";
}

}  // namespace simgpu::cudnn

// Called by the generated functions.
int simgpu_not_done(const char* function, int value) {
  const simgpu::cudnn::Call call(function);
  return call.Fail(static_cast<cudnnStatus_t>(value),
                   "not part of the simulated cuDNN");
}

extern "C" {

cudnnStatus_t cudnnSetCallback(unsigned mask, void* data,
                               cudnnCallback_t function) {
  const std::lock_guard lock(simgpu::cudnn::g_mutex);
  simgpu::cudnn::g_callback = {mask, data, function};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetCallback(unsigned* mask, void** data,
                               cudnnCallback_t* function) {
  const simgpu::cudnn::Callback now = simgpu::cudnn::CurrentCallback();
  if (mask != nullptr) *mask = now.mask;
  if (data != nullptr) *data = now.data;
  if (function != nullptr) *function = now.function;
  return CUDNN_STATUS_SUCCESS;
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  return simgpu::cudnn::StatusName(status);
}

void cudnnGetLastErrorString(char* message, size_t size) {
  if (message == nullptr || size == 0) return;
  std::snprintf(message, size, "%s", simgpu::cudnn::t_last_error.c_str());
  simgpu::cudnn::t_last_error.clear();
}

}  // extern "C"
