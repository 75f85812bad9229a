// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/helper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace inquest::doctor {
namespace {

constexpr size_t kMaxBytes = 1u << 20;

int MillisecondsUntil(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 60'000));
}

}  // namespace

Helper::Helper(const std::function<void(int fd)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    // What drivers and interpreters print must not mix with our answer.
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd < 3; ++fd) dup2(null, fd);
    work(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  fd_ = ends[0];
}

Helper::~Helper() {
  if (fd_ >= 0) close(fd_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  // A process that hangs in the driver does not even die of that.
  for (int i = 0; i < 50 && waitpid(pid_, nullptr, WNOHANG) == 0; ++i) {
    usleep(1000);
  }
}

std::string Helper::AnswerUntil(
    std::chrono::steady_clock::time_point deadline) {
  std::string answer;
  char bytes[4096];
  while (pid_ > 0 && answer.size() < kMaxBytes) {
    pollfd wait = {fd_, POLLIN, 0};
    const int ready = poll(&wait, 1, MillisecondsUntil(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return answer;
    const ssize_t got = read(fd_, bytes, sizeof bytes);
    if (got <= 0) break;
    answer.append(bytes, static_cast<size_t>(got));
  }
  finished_ = pid_ > 0;
  return answer;
}

}  // namespace inquest::doctor
