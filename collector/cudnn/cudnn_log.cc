// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_log.h"

#include <cudnn.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/secrets/secrets.h"
#include "collector/core/emit.h"
#include "collector/core/thread_state.h"
#include "collector/cudnn/cudnn_hooks.h"
#include "collector/process/library_versions.h"
#include "collector/process/modules.h"

namespace inquest::collector {
namespace {

constexpr unsigned kOurMask = CUDNN_SEV_WARNING_EN | CUDNN_SEV_ERROR_EN;

struct HostCallback {
  unsigned mask = 0;
  void* data = nullptr;
  cudnnCallback_t function = nullptr;
};

std::atomic<uint32_t> g_watched{0};  // generation in which this was done
// Never freed: another thread may be inside the previous one.
std::atomic<const HostCallback*> g_host{nullptr};

bool UserLogs() {
  for (const char* name : {"CUDNN_LOGLEVEL_DBG", "CUDNN_LOGINFO_DBG",
                           "CUDNN_LOGWARN_DBG", "CUDNN_LOGERR_DBG"}) {
    const char* value = getenv(name);
    if (value != nullptr && *value != '\0' && *value != '0') return true;
  }
  return false;
}

const char* SeverityName(cudnnSeverity_t severity) {
  switch (severity) {
    case CUDNN_SEV_FATAL:
      return "fatal";
    case CUDNN_SEV_ERROR:
      return "error";
    case CUDNN_SEV_WARNING:
      return "warning";
    case CUDNN_SEV_INFO:
      return "info";
  }
  return "info";
}

// cuDNN separates the lines of a message with a null and ends it with two. We
// separate them with newlines and remove the indentation.
std::string_view JoinLines(const char* text, char* to, size_t size) {
  size_t used = 0;
  for (const char* line = text; *line != '\0' && used + 2 < size;) {
    const size_t length = std::strlen(line);
    const size_t skip = std::min(length, std::strspn(line, " \t"));
    const size_t kept = std::min(length - skip, size - used - 2);
    if (used > 0) to[used++] = '\n';
    std::memcpy(to + used, line + skip, kept);
    used += kept;
    line += length + 1;
  }
  while (used > 0 && to[used - 1] == '\n') --used;
  return {to, used};
}

void OnMessage(cudnnSeverity_t severity, void*, const cudnnDebug_t* debug,
               const char* text) {
  if (Inside()) return;  // about a query of ours
  if (text != nullptr && severity != CUDNN_SEV_INFO) {
    char joined[trace::kMaxText];
    const std::string_view lines = JoinLines(text, joined, sizeof joined);
    const auto masked = FindAndMaskSecrets(lines);
    Emit(trace::MessageRecord{MonotonicNs(), "cudnn", SeverityName(severity),
                              masked ? std::string_view(*masked) : lines});
  }
  const HostCallback* host = g_host.load(std::memory_order_acquire);
  if (host == nullptr || host->function == nullptr) return;
  const bool wanted =
      severity == CUDNN_SEV_FATAL || (host->mask & (1u << severity)) != 0;
  if (wanted) host->function(severity, host->data, debug, text);
}

using SetCallback = cudnnStatus_t (*)(unsigned, void*, cudnnCallback_t);
using GetCallback = cudnnStatus_t (*)(unsigned*, void**, cudnnCallback_t*);

// In the host's thread, which is calling cuDNN, so cuDNN is usable.
void NoteVersion() {
  const auto get = reinterpret_cast<size_t (*)()>(RealCudnn("cudnnGetVersion"));
  Dl_info info{};
  if (get == nullptr || dladdr(reinterpret_cast<void*>(get), &info) == 0) {
    return;
  }
  const std::string version = CudnnVersionText(get());
  for (const Module& module : ListModules()) {
    if (module.base != reinterpret_cast<uintptr_t>(info.dli_fbase)) continue;
    trace::LibraryRecord record;
    record.time_ns = MonotonicNs();
    record.base = module.base;
    record.size = module.end - module.base;
    record.name = BaseName(module.path);
    record.path = module.path;
    record.version = version;
    record.version_source = "call";
    record.build_id = module.build_id;
    Emit(record);
    return;
  }
}

// TensorFlow's stubs load cuDNN inside the first call. In a program that is
// linked with it statically it never is.
bool IsWorthWaiting() {
  constexpr int kMaxWaits = 64;
  static std::atomic<int> waits{0};
  return waits.load(std::memory_order_relaxed) < kMaxWaits &&
         HandleOfLoaded("libcudnn") == nullptr && ++waits <= kMaxWaits;
}

}  // namespace

void WatchCudnnLog() {
  const Session* session = Current();
  if (session == nullptr) return;
  uint32_t before = g_watched.load(std::memory_order_relaxed);
  if (before == session->generation) return;
  InsideScope inside;
  if (IsWorthWaiting() ||
      !g_watched.compare_exchange_strong(before, session->generation)) {
    return;
  }
  NoteVersion();
  if (UserLogs()) {
    EmitCoverage("cudnn-log", "off", "the user has cuDNN write its own log");
    return;
  }
  const auto set = reinterpret_cast<SetCallback>(RealCudnn("cudnnSetCallback"));
  if (set == nullptr) {
    EmitCoverage("cudnn-log", "failed", "this cuDNN has no cudnnSetCallback");
    return;
  }
  const HostCallback* host = g_host.load();
  const unsigned mask = kOurMask | (host != nullptr ? host->mask : 0);
  const cudnnStatus_t status = set(mask, nullptr, OnMessage);
  EmitCoverage("cudnn-log", status == CUDNN_STATUS_SUCCESS ? "on" : "failed",
               status == CUDNN_STATUS_SUCCESS ? "warnings and errors" : "");
}

}  // namespace inquest::collector

// These two are not generated: they keep the host's callback beside ours.
extern "C" {

__attribute__((visibility("default"))) cudnnStatus_t cudnnSetCallback(
    unsigned mask, void* data, cudnnCallback_t function) {
  using namespace inquest::collector;
  CudnnCall call(CudnnHookIndex("cudnnSetCallback"),
                 __builtin_return_address(0));
  if (call.missing()) return CUDNN_STATUS_NOT_SUPPORTED;
  if (UserLogs() || Current() == nullptr || Inside()) {
    return call.Real<SetCallback>()(mask, data, function);
  }
  g_host.store(new HostCallback{mask, data, function});
  const cudnnStatus_t status =
      call.Real<SetCallback>()(mask | kOurMask, nullptr, OnMessage);
  call.Done(status, nullptr);
  return status;
}

__attribute__((visibility("default"))) cudnnStatus_t cudnnGetCallback(
    unsigned* mask, void** data, cudnnCallback_t* function) {
  using namespace inquest::collector;
  CudnnCall call(CudnnHookIndex("cudnnGetCallback"),
                 __builtin_return_address(0));
  if (call.missing()) return CUDNN_STATUS_NOT_SUPPORTED;
  const cudnnStatus_t status = call.Real<GetCallback>()(mask, data, function);
  if (status != CUDNN_STATUS_SUCCESS || function == nullptr ||
      *function != OnMessage) {
    return status;
  }
  const HostCallback* host = g_host.load();
  *function = host != nullptr ? host->function : nullptr;
  if (mask != nullptr) *mask = host != nullptr ? host->mask : 0;
  if (data != nullptr) *data = host != nullptr ? host->data : nullptr;
  return status;
}

}  // extern "C"
