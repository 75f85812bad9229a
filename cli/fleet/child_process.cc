// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "cli/record/fd.h"

extern char** environ;

namespace inquest::cli {
namespace {

using Clock = std::chrono::steady_clock;
using record::UniqueFd;

constexpr size_t kMaxComplaint = 4000;  // bytes of stderr that are kept

struct Pipe {
  UniqueFd from, to;
};

bool Open(Pipe* pipe) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe->from = UniqueFd(ends[0]);
  pipe->to = UniqueFd(ends[1]);
  return true;
}

// The errno, or 0.
int Spawn(const std::string& program, std::vector<std::string>* words,
          const Pipe& out, const Pipe& err, pid_t* pid) {
  std::vector<char*> argv;
  for (std::string& word : *words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.to.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.to.get(), 2);
  const int error = posix_spawnp(pid, program.c_str(), &actions, nullptr,
                                 argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Reads once from what is ready; false when that stream has ended.
bool Take(int fd, size_t most, std::string* text) {
  std::array<char, 65536> bytes;
  const ssize_t n = read(fd, bytes.data(), bytes.size());
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  const size_t room = most - std::min(most, text->size());
  text->append(bytes.data(), std::min(static_cast<size_t>(n), room));
  return true;
}

// Both streams until they end; false if the time was over first.
bool ReadBoth(const Pipe& out, const Pipe& err, Clock::time_point deadline,
              std::string* output, std::string* complaint) {
  std::array<pollfd, 2> polls = {pollfd{out.from.get(), POLLIN, 0},
                                 pollfd{err.from.get(), POLLIN, 0}};
  while (polls[0].fd >= 0 || polls[1].fd >= 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    if (poll(polls.data(), 2, static_cast<int>(left.count())) < 0) continue;
    if (polls[0].revents != 0 &&
        !Take(polls[0].fd, output->max_size(), output)) {
      polls[0].fd = -1;
    }
    if (polls[1].revents != 0 && !Take(polls[1].fd, kMaxComplaint, complaint)) {
      polls[1].fd = -1;
    }
  }
  return true;
}

}  // namespace

std::string Ended::Words() const {
  if (!WIFSIGNALED(state)) {
    return fmt::format("exit code {}", WEXITSTATUS(state));
  }
  return fmt::format("signal {} ({})", WTERMSIG(state),
                     strsignal(WTERMSIG(state)));
}

Expected<Ended> RunToEnd(const std::string& program,
                         std::vector<std::string> words,
                         std::chrono::seconds most) {
  Pipe out, err;
  if (!Open(&out) || !Open(&err)) {
    return Internal(std::string("cannot make a pipe: ") + strerror(errno));
  }
  pid_t pid = 0;
  if (const int error = Spawn(program, &words, out, err, &pid); error != 0) {
    return Unreadable("cannot start '" + program + "': " + strerror(error));
  }
  out.to.Reset();
  err.to.Reset();
  Ended ended;
  ended.in_time =
      ReadBoth(out, err, Clock::now() + most, &ended.output, &ended.complaint);
  if (!ended.in_time) kill(pid, SIGKILL);
  while (waitpid(pid, &ended.state, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

}  // namespace inquest::cli
