// SPDX-License-Identifier: Apache-2.0
#include "cli/record/relay_process.h"

#include <dirent.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace inquest::record {
namespace {

// A fault of ours should still end us.
bool IsFault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
         signal == SIGFPE || signal == SIGABRT || signal == SIGTRAP;
}

// A stop in the background (SIGTTOU) is for all of the group, as without us.
void IgnoreSignals() {
  for (int s = 1; s < NSIG; ++s) {
    if (!IsFault(s) && s != SIGTTOU && s != SIGCONT) signal(s, SIG_IGN);
  }
}

// Closes what we have of our caller's and of the recorder's files, but for the
// standard streams and `kept`.
void CloseOthers(const std::vector<int>& kept) {
  std::vector<int> open;
  DIR* folder = opendir("/proc/self/fd");
  for (int fd = 3; folder == nullptr && fd < 1024; ++fd) open.push_back(fd);
  while (folder != nullptr) {
    const struct dirent* entry = readdir(folder);
    if (entry == nullptr) break;
    const int fd = atoi(entry->d_name);
    if (fd > 2 && fd != dirfd(folder)) open.push_back(fd);
  }
  if (folder != nullptr) closedir(folder);
  for (const int fd : open) {
    if (std::find(kept.begin(), kept.end(), fd) == kept.end()) close(fd);
  }
}

[[noreturn]] void BeRelay(Channels* channels, ConsoleLog* log,
                          UniqueFd control) {
  IgnoreSignals();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  prctl(PR_SET_NAME, "inquest-relay");
  std::vector<int> kept = {control.get(), log->fd()};
  for (Channel& channel : channels->list) {
    channel.child_end.Reset();
    kept.push_back(channel.source.get());
  }
  CloseOthers(kept);
  Relay(channels, log, std::move(control)).Run();
  _exit(0);
}

}  // namespace

Status RelayProcess::Start(Channels* channels, ConsoleLog* log) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return Internal(std::string("cannot make a socket: ") + strerror(errno));
  }
  control_ = UniqueFd(ends[0]);
  UniqueFd relays(ends[1]);
  sigset_t all, mask;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask);
  pid_ = fork();
  if (pid_ == 0) BeRelay(channels, log, std::move(relays));
  const int error = errno;
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (pid_ < 0) {
    return Internal(std::string("cannot start a process: ") + strerror(error));
  }
  for (Channel& channel : channels->list) channel.source.Reset();
  return Status::Ok();
}

void RelayProcess::Order(pid_t command) {
  const RelayOrder order{command};
  send(control_.get(), &order, sizeof order, MSG_NOSIGNAL);
}

void RelayProcess::Follow(pid_t command) {
  if (started()) Order(command);
}

bool RelayProcess::AwaitReport(const Signals& signals, RelayReport* report) {
  while (!signals.interrupted()) {
    struct pollfd polls[] = {{control_.get(), POLLIN, 0},
                             {signals.wake_fd(), POLLIN, 0}};
    poll(polls, 2, -1);
    signals.Drain();
    const ssize_t n =
        recv(control_.get(), report, sizeof *report, MSG_DONTWAIT);
    if (n == sizeof *report) return true;
    if (n >= 0 || (errno != EAGAIN && errno != EINTR)) return false;
  }
  return false;
}

RelayReport RelayProcess::CommandEnded(const Signals& signals) {
  RelayReport report;
  if (!started()) return report;
  Order(0);
  if (!AwaitReport(signals, &report)) {
    kill(pid_, SIGKILL);
    strcpy(report.error, "the process that copied the output was ended");
  }
  // After an interrupt nothing should stay alive.
  if (report.left_open && signals.interrupted()) kill(pid_, SIGKILL);
  const bool stays = report.left_open && !signals.interrupted();
  if (!stays) waitpid(pid_, nullptr, 0);
  return report;
}

}  // namespace inquest::record
