// SPDX-License-Identifier: Apache-2.0
// Makes calls of the collector fail, and of nobody else: preloaded beside it,
// it stands between it and the C library. INQUEST_TEST_FAULT names them:
//
//     function[:first[:count[:errno]]]{,…}     pwrite64:7:3:28,mmap
//
// The calls numbered `first` (1) and the `count` (all) that follow it fail with
// `errno` (ENOSPC). With INQUEST_TEST_FAULT_LOG the number of calls of each
// function that the collector made is appended to that file at exit.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// clang-format off
#define FUNCTIONS(X) \
  X(open) X(open64) X(mmap) X(mmap64) X(posix_fallocate) \
  X(pthread_create) X(mkdir) X(rename) X(pwrite64) X(fdatasync) \
  X(ftruncate64) X(dlopen) X(access) X(malloc) X(unlink) X(pread64) \
  X(fstat64) X(realpath) X(opendir) X(process_vm_readv)
// clang-format on

enum Index {
#define X(name) k_##name,
  FUNCTIONS(X)
#undef X
      kFunctions
};

static const char* const kNames[] = {
#define X(name) #name,
    FUNCTIONS(X)
#undef X
};

struct Fault {
  long first, last;
  int error;
};

static struct Fault g_faults[kFunctions];
static long g_calls[kFunctions];
static void* g_real[kFunctions];
static unsigned long g_begin = 1, g_end = 0;  // the collector's addresses

static int FindCollector(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  if (info->dlpi_name == NULL ||
      strstr(info->dlpi_name, "libinquest_collector") == NULL) {
    return 0;
  }
  g_begin = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    const unsigned long end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    if (part->p_type == PT_LOAD && end > g_end) g_end = end;
  }
  return 1;
}

// The oldest version first: a search that fails allocates.
static void* Real(enum Index function) {
  static const char* const kVersions[] = {"GLIBC_2.2.5", "GLIBC_2.15",
                                          "GLIBC_2.33"};
  for (int i = 0; i < 3 && g_real[function] == NULL; ++i) {
    g_real[function] = dlvsym(RTLD_NEXT, kNames[function], kVersions[i]);
  }
  return g_real[function];
}

static void ReadFault(char* text) {
  char* name = strsep(&text, ":");
  struct Fault fault = {1, 0, ENOSPC};
  long count = 0x3fffffff;
  if (text != NULL) fault.first = atol(strsep(&text, ":"));
  if (text != NULL) count = atol(strsep(&text, ":"));
  if (text != NULL) fault.error = atoi(text);
  fault.last = fault.first + count - 1;
  for (int i = 0; i < kFunctions; ++i) {
    if (strcmp(kNames[i], name) == 0) g_faults[i] = fault;
  }
}

__attribute__((constructor)) static void Prepare(void) {
  for (int i = 0; i < kFunctions; ++i) Real(i);
  const char* wanted = getenv("INQUEST_TEST_FAULT");
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", wanted == NULL ? "" : wanted);
  for (char* rest = copy; rest != NULL;) ReadFault(strsep(&rest, ","));
  dl_iterate_phdr(FindCollector, NULL);
}

__attribute__((destructor)) static void Tell(void) {
  const char* path = getenv("INQUEST_TEST_FAULT_LOG");
  FILE* log = path == NULL ? NULL : fopen(path, "a");
  if (log == NULL) return;
  for (int i = 0; i < kFunctions; ++i) {
    fprintf(log, "%s %ld\n", kNames[i], g_calls[i]);
  }
  fclose(log);
}

// Whether this call, which came from `caller`, is to fail.
static int Fails(enum Index function, void* caller) {
  const unsigned long from = (unsigned long)caller;
  if (from < g_begin || from >= g_end) return 0;
  const long call = __atomic_add_fetch(&g_calls[function], 1, __ATOMIC_RELAXED);
  const struct Fault* fault = &g_faults[function];
  if (call < fault->first || call > fault->last) return 0;
  errno = fault->error;
  return 1;
}

#define FAILS(name) Fails(k_##name, __builtin_return_address(0))
#define REAL(name) ((__typeof__(&name))Real(k_##name))
#define PASS_ON(result, name, failed, parameters, arguments) \
  result name parameters {                                   \
    return FAILS(name) ? (failed) : REAL(name) arguments;    \
  }

static int Mode(int flags, va_list rest) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, int) : 0;
}
#define PASS_OPEN_ON(name)                                   \
  int name(const char* path, int flags, ...) {               \
    va_list rest;                                            \
    va_start(rest, flags);                                   \
    const int mode = Mode(flags, rest);                      \
    va_end(rest);                                            \
    return FAILS(name) ? -1 : REAL(name)(path, flags, mode); \
  }
PASS_OPEN_ON(open)
PASS_OPEN_ON(open64)

PASS_ON(void*, mmap, MAP_FAILED,
        (void* at, size_t size, int protection, int flags, int fd, off_t from),
        (at, size, protection, flags, fd, from))
PASS_ON(void*, mmap64, MAP_FAILED,
        (void* at, size_t size, int protection, int flags, int fd,
         off64_t from),
        (at, size, protection, flags, fd, from))
PASS_ON(int, posix_fallocate, errno, (int fd, off_t from, off_t size),
        (fd, from, size))
PASS_ON(int, pthread_create, errno,
        (pthread_t * thread, const pthread_attr_t* attributes,
         void* (*run)(void*), void* argument),
        (thread, attributes, run, argument))
PASS_ON(int, mkdir, -1, (const char* path, mode_t mode), (path, mode))
PASS_ON(int, rename, -1, (const char* from, const char* to), (from, to))
PASS_ON(ssize_t, pwrite64, -1,
        (int fd, const void* data, size_t size, off64_t at),
        (fd, data, size, at))
PASS_ON(int, fdatasync, -1, (int fd), (fd))
PASS_ON(int, ftruncate64, -1, (int fd, off64_t size), (fd, size))
PASS_ON(void*, dlopen, NULL, (const char* path, int mode), (path, mode))
PASS_ON(int, access, -1, (const char* path, int mode), (path, mode))
PASS_ON(void*, malloc, NULL, (size_t size), (size))
PASS_ON(int, unlink, -1, (const char* path), (path))
PASS_ON(ssize_t, pread64, -1, (int fd, void* data, size_t size, off64_t at),
        (fd, data, size, at))
PASS_ON(int, fstat64, -1, (int fd, struct stat64* info), (fd, info))
PASS_ON(char*, realpath, NULL, (const char* path, char* real), (path, real))
PASS_ON(void*, opendir, NULL, (const char* path), (path))
PASS_ON(ssize_t, process_vm_readv, -1,
        (pid_t pid, const struct iovec* to, unsigned long to_count,
         const struct iovec* from, unsigned long from_count,
         unsigned long flags),
        (pid, to, to_count, from, from_count, flags))
