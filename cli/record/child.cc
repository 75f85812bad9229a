// SPDX-License-Identifier: Apache-2.0
#include "cli/record/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/record/collector_path.h"

namespace inquest::record {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr std::string_view kDirectory = "INQUEST_DIR=";

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& s : strings) {
    pointers.push_back(const_cast<char*>(s.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

void ConnectStream(const Channels& channels, int index, int fd) {
  if (index >= 0) dup2(channels.list[index].child_end.get(), fd);
}

// In the child. Returns only if exec failed.
void Become(const Launch& launch, const Channels& channels,
            const Signals& signals, pid_t parent, char* const* argv,
            char* const* environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(128 + SIGKILL);
  ConnectStream(channels, channels.out, STDOUT_FILENO);
  ConnectStream(channels, channels.err, STDERR_FILENO);
  for (int fd = 0; fd < 3; ++fd) {
    if (!launch.was_open[fd]) close(fd);
  }
  signals.RestoreInChild();
  execvpe(launch.path.c_str(), argv, environment);
}

}  // namespace

std::vector<std::string> ChildEnvironment(const std::string& directory,
                                          const std::string& collector) {
  std::vector<std::string> result;
  const bool used = !directory.empty() && !collector.empty();
  std::string_view preload;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (used && text.starts_with(kPreload)) {
      preload = text.substr(kPreload.size());
    } else if (!used || !text.starts_with(kDirectory)) {
      result.emplace_back(text);
    }
  }
  if (used) {
    result.push_back(std::string(kPreload) + PreloadValue(collector, preload));
    result.push_back(std::string(kDirectory) + directory);
  }
  return result;
}

Expected<Started> Start(const Launch& launch, const Channels& channels,
                        const Signals& signals) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    return Internal(std::string("cannot make a pipe: ") + strerror(errno));
  }
  UniqueFd report_read(report[0]);
  UniqueFd report_write(report[1]);
  const std::vector<char*> argv = Pointers(launch.command);
  const std::vector<char*> environment = Pointers(launch.environment);
  const pid_t parent = getpid();

  const pid_t pid = fork();
  if (pid < 0) {
    return Internal(std::string("cannot start a process: ") + strerror(errno));
  }
  if (pid == 0) {
    Become(launch, channels, signals, parent, argv.data(), environment.data());
    const int error = errno;
    const ssize_t told = write(report_write.get(), &error, sizeof error);
    _exit(told == sizeof error ? 126 : 127);
  }
  report_write.Reset();
  Started started{pid, 0};
  ssize_t n;
  do {
    n = read(report_read.get(), &started.exec_error, sizeof(int));
  } while (n < 0 && errno == EINTR);
  if (n != sizeof(int)) started.exec_error = 0;
  if (started.exec_error != 0) waitpid(pid, nullptr, 0);
  return started;
}

}  // namespace inquest::record
