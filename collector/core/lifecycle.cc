// SPDX-License-Identifier: Apache-2.0
#include "collector/core/lifecycle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstring>

#include "collector/core/config.h"
#include "collector/core/dlopen_hook.h"
#include "collector/core/dlsym_hook.h"
#include "collector/core/emit.h"
#include "collector/core/fatal_signals.h"
#include "collector/core/guard.h"
#include "collector/core/session.h"
#include "collector/core/source.h"

namespace inquest::collector {
namespace {

std::string FindOwnPath() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&FindOwnPath), &info) == 0) return {};
  char real[PATH_MAX];
  return realpath(info.dli_fname, real) != nullptr ? real : info.dli_fname;
}

// The children of the first process share its run directory.
void ShareDirectory() {
  if (getenv("INQUEST_DIR") != nullptr) return;
  char directory[PATH_MAX];
  if (getcwd(directory, sizeof directory) == nullptr) return;
  const std::string path =
      std::string(directory) + "/inquest-" + std::to_string(getpid());
  setenv("INQUEST_DIR", path.c_str(), 0);
}

std::atomic<bool> g_exiting{false};

void OnExit(int status, void*) {
  g_exiting.store(true);
  Emit(trace::DeviceEventRecord{MonotonicNs(), -1, status, "exit",
                                "the process called exit"});
}

void OnQuickExit() {
  g_exiting.store(true);
  Emit(trace::DeviceEventRecord{MonotonicNs(), -1, 0, "exit",
                                "the process called quick_exit"});
  WithoutThrowing(EndSession);
}

void Load() {
  NoteStderr();
  if (SwitchedOffByUser() || OwnPath().empty()) return;
  pthread_atfork(SessionBeforeFork, SessionAfterForkInParent,
                 SessionAfterForkInChild);
  if (!IsPreloaded()) return;
  AllowLooking();
  ShareDirectory();
  const bool named = getenv(kCudaInjection) != nullptr;
  setenv(kCudaInjection, OwnPath().c_str(), 0);
  setenv(kNvtxInjection, OwnPath().c_str(), 0);
  // If it is named, the driver starts us, and may be about to.
  if (named) return;
  for (const Source* source : Sources()) {
    if (source->load != nullptr) source->load();
  }
}

__attribute__((constructor)) void OnLoad() {
  EnsureLoaded();
}

__attribute__((destructor)) void OnUnload() {
  g_exiting.store(true);
  WithoutThrowing([] {
    // What was linked with such a library and never called it.
    LookAtLoads();
    EndSession();
  });
}

}  // namespace

void EnsureLoaded() {
  static std::atomic<bool> done{false};
  if (!done.exchange(true)) WithoutThrowing(Load);
}

const std::string& OwnPath() {
  // Leaked on purpose: used until the very end of the process.
  static const std::string* path = new std::string(FindOwnPath());
  return *path;
}

bool IsPreloaded() {
  return RealDlsym(RTLD_DEFAULT, "dlsym") == reinterpret_cast<void*>(&dlsym);
}

bool IsExiting() {
  return g_exiting.load();
}

void RegisterExitHandlers() {
  // Once for a process and the children that it forks.
  static bool done = false;
  if (done) return;
  done = true;
  on_exit(OnExit, nullptr);
  at_quick_exit(OnQuickExit);
}

std::string InjectionState(const char* variable) {
  const char* path = getenv(variable);
  if (path == nullptr) return std::string(variable) + " is not set";
  char real[PATH_MAX];
  const char* resolved = realpath(path, real) != nullptr ? real : path;
  if (OwnPath() == resolved) return {};
  return std::string(variable) + " names another tool: " + path;
}

constinit const Source kPreloadSource = {
    .name = "preload",
    .start =
        [](const Config&) {
          const bool preloaded = IsPreloaded();
          EmitCoverage("preload", preloaded ? "on" : "off",
                       preloaded ? "" : "loaded by CUDA: no cuDNN hooks");
        },
};

}  // namespace inquest::collector
