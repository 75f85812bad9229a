// SPDX-License-Identifier: Apache-2.0
#include "collector/core/new_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "trace/journal/process_clock.h"

namespace inquest::collector {
namespace {

constexpr double kJustBegun = 0.1;  // seconds
constexpr double kNew = 2;
constexpr double kTick = 0.01;

struct Thread {
  char state = 'S';
  double age = 0;  // seconds
  bool is_ours = false;
};

double SecondsSinceBoot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

// After proc(5): state is the third field, the start in clock ticks since boot
// the twenty-second. The name before them may hold anything.
bool ReadStat(int folder, const char* thread, Thread* out) {
  char path[64];
  std::snprintf(path, sizeof path, "%.32s/stat", thread);
  const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[1024];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return false;
  text[size] = '\0';
  const char* at = std::strrchr(text, ')');
  if (at == nullptr || at[1] != ' ') return false;
  out->is_ours = std::strstr(text, "(inquest)") != nullptr;
  out->state = at[2];
  for (int field = 2; field < 22 && at != nullptr; ++field) {
    at = std::strchr(at + 1, ' ');
  }
  if (at == nullptr) return false;
  const double ticks = std::strtod(at, nullptr);
  out->age =
      SecondsSinceBoot() - ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  return true;
}

// Starts are known to a tick.
bool IsNew(const Thread& thread, double since_age) {
  if (thread.is_ours || thread.age > since_age + kTick) return false;
  return thread.age < kJustBegun || (thread.age < kNew && thread.state != 'S');
}

}  // namespace

bool IsAThreadNew(int64_t since_ns) {
#ifdef __SANITIZE_THREAD__
  return false;  // the sanitizer's own thread is one
#endif
  const double since_age =
      static_cast<double>(trace::MonotonicNs() - since_ns) / 1e9;
  DIR* threads = opendir("/proc/self/task");
  if (threads == nullptr) return false;
  const long self = syscall(SYS_gettid);
  bool found = false;
  while (const dirent* entry = readdir(threads)) {
    const long number = std::strtol(entry->d_name, nullptr, 10);
    Thread thread;
    if (number <= 0 || number == self) continue;
    found = ReadStat(dirfd(threads), entry->d_name, &thread) &&
            IsNew(thread, since_age);
    if (found) break;
  }
  closedir(threads);
  return found;
}

}  // namespace inquest::collector
