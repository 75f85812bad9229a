// SPDX-License-Identifier: Apache-2.0
#include "core/event_log.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/config.h"

namespace simgpu {
namespace {

int OpenLog() {
  const std::string& path = GetConfig().log_path;
  if (path.empty()) return -1;
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) {
    std::fprintf(stderr, "simgpu: SIMGPU_LOG=\"%s\": %s; no log is written\n",
                 path.c_str(), std::strerror(errno));
  }
  return fd;
}

}  // namespace

void LogEvent(const char* operation, uint64_t address, uint64_t size,
              int result) {
  static const int fd = OpenLog();
  if (fd < 0) return;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  char line[160];
  const int length =
      std::snprintf(line, sizeof line, "%lld%09ld %s 0x%llx %llu %d\n",
                    static_cast<long long>(now.tv_sec), now.tv_nsec, operation,
                    static_cast<unsigned long long>(address),
                    static_cast<unsigned long long>(size), result);
  // A full disk loses the line; the log is evidence, not a dependency.
  if (write(fd, line, static_cast<size_t>(length)) < 0) return;
}

}  // namespace simgpu
