// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/process_clock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace inquest::trace {
namespace {

int64_t Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Reads the beginning of a small /proc file; returns its length, 0 if none.
size_t ReadSmall(const char* path, char* buffer, size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t got = read(fd, buffer, size - 1);
  close(fd);
  const size_t length = got > 0 ? static_cast<size_t>(got) : 0;
  buffer[length] = '\0';
  return length;
}

}  // namespace

int64_t MonotonicNs() {
  return Now(CLOCK_MONOTONIC);
}
int64_t RealtimeNs() {
  return Now(CLOCK_REALTIME);
}

int64_t SinceBootNs() {
  return Now(CLOCK_BOOTTIME);
}

// After proc(5). The second field is the name in brackets and may hold
// anything, so fields are counted from the last bracket: what follows is the
// third.
bool ReadTaskStat(const char* path, TaskStat* stat) {
  char text[1024];
  if (ReadSmall(path, text, sizeof text) == 0) return false;
  const char* name = std::strchr(text, '(');
  const char* at = std::strrchr(text, ')');
  if (name == nullptr || at == nullptr || at[1] == '\0') return false;
  std::snprintf(stat->name, sizeof stat->name, "%.*s",
                static_cast<int>(at - name - 1), name + 1);
  stat->state = at[2];
  for (int field = 2; at != nullptr && field < 22; ++field) {
    at = std::strchr(at + 1, ' ');
    if (at != nullptr && field == 19) stat->threads = std::atol(at);
  }
  if (at == nullptr) return false;
  stat->start = std::strtoull(at + 1, nullptr, 10);
  return true;
}

uint64_t ProcessStart(int64_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lld/stat",
                static_cast<long long>(pid));
  TaskStat stat;
  if (!ReadTaskStat(path, &stat)) return 0;
  // A first thread that has ended is also a zombie while others still run.
  const bool zombie = stat.state == 'Z' || stat.state == 'X';
  return zombie && stat.threads <= 1 ? 0 : stat.start;
}

uint64_t PidNamespace() {
  struct stat info {};
  return stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

uint64_t BootHash() {
  char text[128];
  const size_t length =
      ReadSmall("/proc/sys/kernel/random/boot_id", text, sizeof text);
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (size_t i = 0; i < length; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211u;
  }
  return length == 0 ? 0 : hash;
}

}  // namespace inquest::trace
