// SPDX-License-Identifier: Apache-2.0
#include "collector/core/fatal_signals.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "collector/core/emit.h"
#include "trace/journal/page_rescue.h"

namespace inquest::collector {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
// Some runtimes use SIGSEGV deliberately, thousands of times.
constexpr int kMaxRecords = 8;

struct sigaction g_before[NSIG];
std::atomic<int> g_records{0};

const char* Name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGABRT:
      return "SIGABRT";
  }
  return "signal";
}

bool HasHandler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

void EmitSignal(int signal, bool handled) {
  if (g_records.fetch_add(1, std::memory_order_relaxed) >= kMaxRecords) return;
  char text[64];
  strcpy(text, Name(signal));
  strcat(text, handled ? ", the program handles it" : ", fatal");
  Emit(trace::DeviceEventRecord{MonotonicNs(), -1, signal, "signal", text});
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  if (signal == SIGBUS && info->si_code == BUS_ADRERR &&
      trace::RescuePage(info->si_addr)) {
    errno = saved_errno;
    return;
  }
  const struct sigaction& before = g_before[signal];
  EmitSignal(signal, HasHandler(before));
  errno = saved_errno;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
    return;
  }
  if (HasHandler(before)) {
    before.sa_handler(signal);
    return;
  }
  if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
  // Pass the signal on: a fault happens again as soon as we return; a signal
  // from kill or abort is sent again.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  if (info->si_code <= 0) {
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
  }
}

}  // namespace

void InstallSignalHandlers() {
  for (const int signal : kSignals) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0) continue;
    // After a fork our handler may already be installed.
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == OnSignal) {
      continue;
    }
    g_before[signal] = now;
    struct sigaction ours {};
    ours.sa_sigaction = OnSignal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (now.sa_flags & SA_NODEFER);
    ours.sa_mask = now.sa_mask;
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace inquest::collector
