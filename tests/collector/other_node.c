// SPDX-License-Identifier: Apache-2.0
// A reader on another machine, preloaded into one on this: it sees the boot id
// of another kernel, and a clock that differs by INQUEST_TEST_CLOCK_SHIFT_MS
// milliseconds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char* Elsewhere(const char* path) {
  // A number that is new at each reading.
  return strcmp(path, "/proc/sys/kernel/random/boot_id") == 0
             ? "/proc/sys/kernel/random/uuid"
             : path;
}

#define PASS_OPEN_ON(name)                                                  \
  int name(const char* path, int flags, ...) {                              \
    va_list rest;                                                           \
    va_start(rest, flags);                                                  \
    const int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0; \
    va_end(rest);                                                           \
    return openat(AT_FDCWD, Elsewhere(path), flags, mode);                  \
  }
PASS_OPEN_ON(open)
PASS_OPEN_ON(open64)

int clock_gettime(clockid_t clock, struct timespec* now) {
  const long result = syscall(SYS_clock_gettime, clock, now);
  const char* shift = getenv("INQUEST_TEST_CLOCK_SHIFT_MS");
  if (result != 0 || clock != CLOCK_REALTIME || shift == NULL) {
    return (int)result;
  }
  const long long million = 1000000, billion = 1000 * million;
  const long long ns =
      now->tv_sec * billion + now->tv_nsec + atoll(shift) * million;
  now->tv_sec = ns / billion;
  now->tv_nsec = ns % billion;
  return 0;
}
