// SPDX-License-Identifier: Apache-2.0
#include "cli/record/relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "cli/record/say.h"

namespace inquest::record {
namespace {

constexpr size_t kBlock = 64 * 1024;
// A line that has not ended is written after this silence.
constexpr int kPauseMs = 200;
constexpr int kSignalMs = 200;
// How long a process that outlives the command may be silent, and may write.
constexpr int kQuietMs = 300;
constexpr auto kDrainLimit = std::chrono::seconds(5);
// Limit on the output of processes that outlive the command.
constexpr uint64_t kLateBytes = 16 << 20;

const char* StreamName(int fd) {
  return fd == STDOUT_FILENO ? "stdout" : "stderr";
}

// Of two signals the lower number would come first, and SIGPIPE has it: gives
// the writer the time to die of the first one.
void AwaitHangUp(int fd) {
  struct pollfd wait = {fd, 0, 0};
  poll(&wait, 1, kSignalMs);
}

void PointAtNull() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; null >= 0 && fd < 3; ++fd) dup2(null, fd);
}

}  // namespace

Relay::Relay(Channels* channels, ConsoleLog* log, UniqueFd control)
    : channels_(channels),
      log_(log),
      lines_(channels->list.size(), ConsoleLines(log)),
      left_(channels->list.size()),
      control_(std::move(control)) {}

void Relay::Run() {
  while (AnyOpen()) {
    const bool any = Step(Timeout());
    const bool late = !any || late_bytes_ >= kLateBytes;
    if (ended_ && late && !AnyLeft()) break;
  }
  if (!AnyOpen()) return FinishLog();
  // Processes that outlive the command.
  PointAtNull();
  for (Channel& channel : channels_->list) channel.sink_open = false;
  Report();
  while (AnyOpen() && log_->is_open() && late_bytes_ < kLateBytes) Step(-1);
  FinishLog();
}

int Relay::Timeout() const {
  if (ended_ && !AnyLeft()) return Clock::now() >= limit_ ? 0 : kQuietMs;
  return AnyWaits() ? kPauseMs : -1;
}

bool Relay::Step(int timeout_ms) {
  std::vector<struct pollfd> polls;
  polls.push_back({control_.get(), POLLIN, 0});
  for (size_t i = 0; i < channels_->list.size(); ++i) {
    const Channel& channel = channels_->list[i];
    polls.push_back(left_[i].empty() ? pollfd{channel.source.get(), POLLIN, 0}
                                     // -1: none
                                     : pollfd{channel.sink, POLLOUT, 0});
  }
  const int ready = poll(polls.data(), polls.size(), timeout_ms);
  if (ready == 0) {
    for (ConsoleLines& lines : lines_) Keep(lines.Pause());
  }
  if (ready <= 0) return ready < 0 || !ended_;
  bool any = false;
  if (polls[0].revents != 0) {
    ReadOrders();
    any = true;
  }
  for (size_t i = 0; i < channels_->list.size(); ++i) {
    if (polls[i + 1].revents == 0) continue;
    if (left_[i].empty()) {
      any |= ReadOnce(i);
    } else {
      PassOn(i);
      any = true;
    }
  }
  return any;
}

bool Relay::ReadOnce(size_t index) {
  Channel* channel = &channels_->list[index];
  static char block[kBlock];
  const ssize_t n = read(channel->source.get(), block, sizeof block);
  if (n > 0) {
    if (ended_) late_bytes_ += static_cast<uint64_t>(n);
    Keep(lines_[index].Add({block, static_cast<size_t>(n)}));
    left_[index].assign(block, static_cast<size_t>(n));
    PassOn(index);
    return true;
  }
  // A terminal pair ends with EIO, a pipe with 0.
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  channel->source.Reset();
  return true;
}

// Says it if that was the write with which the log ended.
void Relay::Keep(bool written) {
  if (written) return;
  Say(log_->error() + " (the command continues, its output is still shown)");
}

// As much as the reader takes now.
void Relay::PassOn(size_t index) {
  const Channel& channel = channels_->list[index];
  std::string_view left = left_[index];
  while (channel.sink_open && !left.empty()) {
    const size_t room = std::min(RoomIn(channel.sink), left.size());
    const ssize_t n = room > 0 ? write(channel.sink, left.data(), room) : 0;
    if (n > 0) {
      left.remove_prefix(static_cast<size_t>(n));
    } else if (n == 0 || errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      return LoseSink(index, errno);
    }
  }
  left_[index].erase(0, left_[index].size() - left.size());
  if (!channel.sink_open) left_[index].clear();
}

// The command's next write is to fail, as it would without us: with EPIPE, the
// only error that a pipe can pass on, and with SIGXFSZ before it if a limit on
// the size of files is the reason.
void Relay::LoseSink(size_t index, int error) {
  Channel* channel = &channels_->list[index];
  channel->sink_open = false;
  left_[index].clear();
  if (error != EPIPE) {
    const std::string note =
        fmt::format("{}: {}; the command's output ends here",
                    StreamName(channel->sink), strerror(error));
    log_->Write("inquest: " + note + "\n");
    if (channel->sink == STDOUT_FILENO) Say(note);
  }
  if (error == EFBIG) SignalTooLarge(channel->source.get());
  channel->source.Reset();
}

void Relay::SignalTooLarge(int source) {
  ReadOrders();
  // A quick command may have come so far before its recorder told us its id.
  struct pollfd order = {control_.get(), POLLIN, 0};
  if (command_ == 0 && !ended_) poll(&order, 1, kSignalMs);
  ReadOrders();
  if (command_ == 0) return;
  kill(command_, SIGXFSZ);
  AwaitHangUp(source);
}

void Relay::ReadOrders() {
  RelayOrder order;
  while (control_.ok()) {
    const ssize_t n = recv(control_.get(), &order, sizeof order, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n != sizeof order) {
      control_.Reset();  // the recorder was killed
      command_ = 0;
      return;
    }
    command_ = order.command;
    if (command_ != 0) continue;
    ended_ = true;
    limit_ = Clock::now() + kDrainLimit;
  }
}

void Relay::FinishLog() {
  for (ConsoleLines& lines : lines_) Keep(lines.End());
  log_->Finish();
  // A recorder that waits for the end of the command gets its report then.
  while (control_.ok() && !ended_) {
    struct pollfd wait = {control_.get(), POLLIN, 0};
    poll(&wait, 1, -1);
    ReadOrders();
  }
  Report();
}

void Relay::Report() {
  if (!control_.ok()) return;
  RelayReport report;
  report.bytes = log_->bytes();
  report.left_out = log_->left_out();
  report.left_open = AnyOpen();
  log_->error().copy(report.error, sizeof report.error - 1);
  send(control_.get(), &report, sizeof report, MSG_NOSIGNAL);
  control_.Reset();
}

bool Relay::AnyOpen() const {
  return std::any_of(
      channels_->list.begin(), channels_->list.end(),
      [](const Channel& channel) { return channel.source.ok(); });
}

bool Relay::AnyLeft() const {
  return std::any_of(left_.begin(), left_.end(),
                     [](const std::string& left) { return !left.empty(); });
}

bool Relay::AnyWaits() const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [](const ConsoleLines& lines) { return lines.waits(); });
}

}  // namespace inquest::record
