// SPDX-License-Identifier: Apache-2.0
#include "cli/record/relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "cli/record/say.h"

namespace inquest::record {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBlock = 64 * 1024;
// How long a process that outlives the command may be silent, and may write.
constexpr int kQuietMs = 300;
constexpr auto kDrainLimit = std::chrono::seconds(5);
// Limit on the output of processes that outlive the command.
constexpr uint64_t kLateBytes = 16 << 20;

const char* StreamName(int fd) {
  return fd == STDOUT_FILENO ? "stdout" : "stderr";
}

// Waits for room if the caller made our stdout non-blocking.
void AwaitRoom(int fd) {
  struct pollfd wait = {fd, POLLOUT, 0};
  poll(&wait, 1, -1);
}

void PointAtNull() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; null >= 0 && fd < 3; ++fd) dup2(null, fd);
}

}  // namespace

CommandEnd Relay::Run(pid_t command) {
  command_ = command;
  for (Channel& channel : channels_->list) {
    // A terminal pair whose far end is closed for a moment looks ended; ours
    // stays open until the command has ended. A pipe must signal its end.
    if (!channel.terminal) channel.child_end.Reset();
  }
  while (!ended_) {
    HandleSignals();
    if (!ended_) Step(-1);
  }
  CloseChildEnds();
  DrainAfterEnd();
  const bool left_open = AnyOpen();
  // After an interrupt nothing should stay alive.
  if (signals_->interrupted()) CloseSources();
  return {wait_status_, left_open};
}

bool Relay::Step(int timeout_ms) {
  std::vector<struct pollfd> polls;
  polls.push_back({signals_->wake_fd(), POLLIN, 0});
  for (const Channel& channel : channels_->list) {
    polls.push_back({channel.source.get(), POLLIN, 0});  // -1 is skipped
  }
  if (poll(polls.data(), polls.size(), timeout_ms) <= 0) return false;
  bool any = false;
  for (size_t i = 0; i < channels_->list.size(); ++i) {
    if (polls[i + 1].revents != 0) any |= ReadOnce(&channels_->list[i]);
  }
  return any;
}

bool Relay::ReadOnce(Channel* channel) {
  static char block[kBlock];
  const ssize_t n = read(channel->source.get(), block, sizeof block);
  if (n > 0) {
    if (ended_) late_bytes_ += static_cast<uint64_t>(n);
    PassOn(channel, block, static_cast<size_t>(n));
    return true;
  }
  // A terminal pair ends with EIO, a pipe with 0.
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  channel->source.Reset();
  return true;
}

void Relay::PassOn(Channel* channel, const char* bytes, size_t size) {
  if (!log_->Write({bytes, size})) {
    Say(log_->error() + " (the command continues, its output is still shown)");
  }
  while (channel->sink_open && size > 0 && !signals_->interrupted()) {
    const ssize_t n = write(channel->sink, bytes, size);
    if (n >= 0) {
      bytes += n;
      size -= static_cast<size_t>(n);
    } else if (errno == EAGAIN) {
      AwaitRoom(channel->sink);
    } else if (errno == EINTR) {
      HandleSignals();
    } else if (errno == EPIPE) {
      // There is no reader: the command should notice as it would without us.
      channel->sink_open = false;
      channel->source.Reset();
      channel->child_end.Reset();
    } else {
      channel->sink_open = false;
      if (channel->sink == STDOUT_FILENO) {
        Say(fmt::format("{}: {}; from here on output goes to console.log only",
                        StreamName(channel->sink), strerror(errno)));
      }
    }
  }
}

void Relay::HandleSignals() {
  signals_->Drain();
  if (ended_) return;
  if (signals_->TakeResized()) {
    for (const Channel& channel : channels_->list) CopyWindowSize(channel);
    // The terminal signalled the command before the size was right.
    kill(command_, SIGWINCH);
  }
  if (TakeEnd()) return;
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(command_), &info, WSTOPPED | WNOHANG) ==
          0 &&
      info.si_pid == command_ &&
      (info.si_status == SIGTSTP || info.si_status == SIGTTIN)) {
    signals_->StopLikeChild(info.si_status);
  }
}

// Forgets the pid before the process is reaped, so that no signal reaches
// another process with the same pid.
bool Relay::TakeEnd() {
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(command_), &info,
             WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != command_) {
    return false;
  }
  signals_->Follow(0);
  while (waitpid(command_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
  return true;
}

void Relay::CloseChildEnds() {
  for (Channel& channel : channels_->list) channel.child_end.Reset();
}

void Relay::CloseSources() {
  for (Channel& channel : channels_->list) channel.source.Reset();
}

bool Relay::AnyOpen() const {
  for (const Channel& channel : channels_->list) {
    if (channel.source.ok()) return true;
  }
  return false;
}

// The command's own output is already here and is passed on even if its reader
// is slow. The limits are for processes that outlive it.
void Relay::DrainAfterEnd() {
  const Clock::time_point limit = Clock::now() + kDrainLimit;
  while (AnyOpen() && !signals_->interrupted() && late_bytes_ < kLateBytes) {
    const bool late = Clock::now() >= limit;
    const bool any = Step(late ? 0 : kQuietMs);
    const bool woken = signals_->Drain();
    if (!any && (late || !woken)) break;
  }
}

void Relay::KeepLoggingInBackground() {
  if (!AnyOpen() || !log_->is_open() || fork() != 0) return;
  for (int s : {SIGINT, SIGQUIT, SIGHUP, SIGTERM}) signal(s, SIG_IGN);
  PointAtNull();
  for (Channel& channel : channels_->list) channel.sink_open = false;
  while (AnyOpen() && log_->is_open() && late_bytes_ < kLateBytes) {
    Step(-1);
    signals_->Drain();
  }
  _exit(0);
}

}  // namespace inquest::record
