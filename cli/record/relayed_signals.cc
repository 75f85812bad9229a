// SPDX-License-Identifier: Apache-2.0
#include "cli/record/relayed_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace inquest::record {
namespace {

// Sent by the terminal to the whole process group.
constexpr int kFromKeyboard[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN};
constexpr int kPassedOn[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT};
constexpr int kOwn[] = {SIGCHLD, SIGWINCH};
constexpr int kOfWrites[] = {SIGPIPE, SIGXFSZ};

// A handler can access nothing else.
volatile sig_atomic_t g_child = 0;
volatile sig_atomic_t g_wake = -1;
volatile sig_atomic_t g_resized = 0;
volatile sig_atomic_t g_interrupted = 0;
volatile sig_atomic_t g_own_step = 0;  // started by srun
std::array<struct sigaction, NSIG> g_old;

bool IsFromKeyboard(int signal) {
  for (int s : kFromKeyboard) {
    if (s == signal) return true;
  }
  return false;
}

// Called by a handler, so without the C++ library.
bool IsNamed(pid_t process, const char* name) {
  char text[32] = "/proc/";
  char* at = text + 6;
  for (pid_t rest = process, unit = 1'000'000'000; unit > 0; unit /= 10) {
    if (process >= unit) *at++ = static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
  memcpy(at, "/comm", 6);
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return false;
  text[size - 1] = '\0';  // was the line's end
  return strcmp(text, name) == 0;
}

// Slurm signals every process of a step or of a job. A batch script alone is
// signalled too, and may have become us: then the signal is passed on.
bool SignalsEveryProcess(pid_t sender) {
  if (g_own_step == 0 && sender == getppid()) return false;
  return IsNamed(sender, "slurmstepd");
}

bool ReachedChildAlready(int signal, const siginfo_t* info, pid_t child) {
  if (info->si_code == SI_KERNEL) return IsFromKeyboard(signal);
  if (info->si_code != SI_USER) return false;
  // The command signalled its parent or its whole group.
  return info->si_pid == child || SignalsEveryProcess(info->si_pid);
}

void OnSignal(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  const pid_t child = g_child;
  if (signal == SIGWINCH) {
    g_resized = 1;
  } else if (signal != SIGCHLD) {
    if (child <= 0) {
      if (signal != SIGCONT) g_interrupted = 1;
    } else if (!ReachedChildAlready(signal, info, child)) {
      kill(child, signal);
    }
  }
  // A full pipe wakes up as well.
  [[maybe_unused]] const ssize_t n = write(g_wake, "", 1);
  errno = saved;
}

template <typename F>
void ForEachSignal(F&& f) {
  for (int s : kFromKeyboard) f(s);
  for (int s : kPassedOn) f(s);
  for (int s : kOwn) f(s);
}

struct sigaction Handler() {
  struct sigaction action = {};
  action.sa_sigaction = OnSignal;
  // No SA_RESTART: a write to a stuck reader must return.
  action.sa_flags = SA_SIGINFO;
  sigfillset(&action.sa_mask);
  return action;
}

}  // namespace

Status Signals::Install() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return Internal(std::string("cannot make a pipe: ") + strerror(errno));
  }
  wake_read_ = UniqueFd(ends[0]);
  wake_write_ = UniqueFd(ends[1]);
  g_wake = ends[1];
  g_child = 0;
  g_resized = 0;
  g_interrupted = 0;
  g_own_step = getenv("SLURM_STEP_ID") != nullptr ? 1 : 0;

  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old_mask_);
  installed_ = true;
  const struct sigaction handler = Handler();
  ForEachSignal([&handler](int s) {
    sigaction(s, nullptr, &g_old[s]);
    // SIGCHLD is needed to notice the end.
    if (g_old[s].sa_handler != SIG_IGN || s == SIGCHLD) {
      sigaction(s, &handler, nullptr);
    }
  });
  return Status::Ok();
}

Signals::Signals() {
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  for (const int s : kOfWrites) sigaction(s, &ignore, &g_old[s]);
}

Signals::~Signals() {
  if (installed_) RestoreHandlers();
  g_wake = -1;
}

void Signals::RestoreHandlers() const {
  ForEachSignal([](int s) { sigaction(s, &g_old[s], nullptr); });
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

void Signals::RestoreInChild() const {
  for (const int s : kOfWrites) sigaction(s, &g_old[s], nullptr);
  if (installed_) RestoreHandlers();
}

void Signals::Follow(pid_t child) {
  g_child = child;
  sigset_t mask = old_mask_;
  sigdelset(&mask, SIGCHLD);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

bool Signals::Drain() const {
  char bytes[256];
  bool any = false;
  while (read(wake_read_.get(), bytes, sizeof bytes) > 0) any = true;
  return any;
}

bool Signals::TakeResized() const {
  const bool resized = g_resized != 0;
  g_resized = 0;
  return resized;
}

bool Signals::interrupted() const {
  return g_interrupted != 0;
}

void Signals::StopLikeChild(int signal) const {
  struct sigaction stop = {};
  stop.sa_handler = SIG_DFL;
  struct sigaction handler;
  sigaction(signal, &stop, &handler);
  raise(signal);
  sigaction(signal, &handler, nullptr);
  g_resized = 1;  // it may have changed unnoticed
}

}  // namespace inquest::record
