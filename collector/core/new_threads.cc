// SPDX-License-Identifier: Apache-2.0
#include "collector/core/new_threads.h"

#include <dirent.h>
#include <sys/syscall.h>
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

// Starts are known to a tick.
bool IsNew(const trace::TaskStat& thread, double since_age) {
  if (std::strcmp(thread.name, "inquest") == 0) return false;  // the drain's
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double age = static_cast<double>(trace::SinceBootNs()) / 1e9 -
                     static_cast<double>(thread.start) / ticks;
  if (age > since_age + kTick) return false;
  return age < kJustBegun || (age < kNew && thread.state != 'S');
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
    if (number <= 0 || number == self) continue;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%ld/stat", number);
    trace::TaskStat thread;
    found = trace::ReadTaskStat(path, &thread) && IsNew(thread, since_age);
    if (found) break;
  }
  closedir(threads);
  return found;
}

}  // namespace inquest::collector
