// SPDX-License-Identifier: Apache-2.0
#include "cli/record/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "cli/record/collector_path.h"

namespace inquest::record {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr std::string_view kDirectory = "INQUEST_DIR=";
constexpr const char* kInjections[] = {"CUDA_INJECTION64_PATH",
                                       "NVTX_INJECTION64_PATH"};

constexpr rlim_t kFilesWanted = 256;

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

struct Pipe {
  UniqueFd read_end, write_end;
  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = UniqueFd(ends[0]);
    write_end = UniqueFd(ends[1]);
    return true;
  }
};

// In the child: waits for the process that reads its output. False: there is
// none.
bool AwaitRelay(int go) {
  char relayed = 0;
  if (read(go, &relayed, 1) != 1) _exit(128 + SIGKILL);  // the parent is gone
  return relayed != 0;
}

// In the child. Returns only if exec failed.
void Become(const Launch& launch, const Channels* channels,
            const Signals& signals, char* const* argv,
            char* const* environment) {
  if (channels != nullptr) {
    ConnectStream(*channels, channels->out, STDOUT_FILENO);
    ConnectStream(*channels, channels->err, STDERR_FILENO);
  }
  for (int fd = 0; fd < 3; ++fd) {
    if (!launch.was_open[fd]) close(fd);
  }
  setrlimit(RLIMIT_NOFILE, &launch.files);
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
    // The collector's constructor would set these too late for a library whose
    // own constructor uses CUDA.
    for (const char* variable : kInjections) {
      if (getenv(variable) == nullptr) {
        result.push_back(std::string(variable) + '=' + collector);
      }
    }
  }
  return result;
}

rlimit RaiseFileLimit() {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit raised = before;
  raised.rlim_cur = std::max(before.rlim_cur,
                             std::min<rlim_t>(before.rlim_max, kFilesWanted));
  setrlimit(RLIMIT_NOFILE, &raised);
  return before;
}

int BecomeCommand(const Launch& launch, const Signals& signals) {
  const std::vector<char*> argv = Pointers(launch.command);
  const std::vector<char*> environment = Pointers(launch.environment);
  Become(launch, nullptr, signals, argv.data(), environment.data());
  return errno;
}

Expected<Started> Start(const Launch& launch, const Channels& channels,
                        const Signals& signals,
                        const std::function<bool()>& relay) {
  Pipe report, go;
  if (!report.Open() || !go.Open()) {
    return Internal(std::string("cannot make a pipe: ") + strerror(errno));
  }
  const std::vector<char*> argv = Pointers(launch.command);
  const std::vector<char*> environment = Pointers(launch.environment);

  const pid_t pid = fork();
  if (pid < 0) {
    return Internal(std::string("cannot start a process: ") + strerror(errno));
  }
  if (pid == 0) {
    go.write_end.Reset();
    const bool relayed = AwaitRelay(go.read_end.get());
    Become(launch, relayed ? &channels : nullptr, signals, argv.data(),
           environment.data());
    const int error = errno;
    const ssize_t told = write(report.write_end.get(), &error, sizeof error);
    _exit(told == sizeof error ? 126 : 127);
  }
  report.write_end.Reset();
  const char relayed = relay() ? 1 : 0;
  [[maybe_unused]] const ssize_t told = write(go.write_end.get(), &relayed, 1);
  Started started{pid, 0};
  ssize_t n;
  do {
    n = read(report.read_end.get(), &started.exec_error, sizeof(int));
  } while (n < 0 && errno == EINTR);
  if (n != sizeof(int)) started.exec_error = 0;
  if (started.exec_error != 0) waitpid(pid, nullptr, 0);
  return started;
}

}  // namespace inquest::record
