// SPDX-License-Identifier: Apache-2.0
#include "collector/core/sqlite_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>

#include "base/database.h"
#include "trace/journal/own_file.h"
#include "trace/journal/page_rescue.h"

namespace inquest::collector {
namespace {

using trace::OwnFile;

// The database, its log, their shared memory, a rollback journal, and as many
// again while one is opened anew.
constexpr size_t kMaxFiles = 16;
std::array<OwnFile, kMaxFiles> g_files;

OwnFile* Find(int fd) {
  const auto at =
      std::find_if(g_files.begin(), g_files.end(),
                   [fd](const OwnFile& file) { return file.fd() == fd; });
  return at == g_files.end() ? nullptr : &*at;
}

// Sets errno otherwise.
bool IsOurFile(int fd) {
  const OwnFile* file = fd < 0 ? nullptr : Find(fd);
  if (file != nullptr && file->IsIntact()) return true;
  errno = EBADF;
  return false;
}

int Open(const char* path, int flags, int mode) {
  const int fd = trace::OpenOwn(path, flags, static_cast<mode_t>(mode));
  if (fd < 0) return fd;
  OwnFile* entry = Find(fd);  // left behind by a file that the host closed
  if (entry == nullptr) entry = Find(-1);
  if (entry == nullptr) {
    close(fd);
    errno = EMFILE;
    return -1;
  }
  *entry = OwnFile(fd);
  return fd;
}

int Close(int fd) {
  OwnFile* file = fd < 0 ? nullptr : Find(fd);
  if (file != nullptr) file->Close();
  return 0;
}

int Control(int fd, int command, ...) {
  if (!IsOurFile(fd)) return -1;
  va_list arguments;
  va_start(arguments, command);
  int result = 0;
  if (command == F_SETLK || command == F_SETLKW || command == F_GETLK) {
    result = trace::LockOwn(fd, command, va_arg(arguments, struct flock*));
  } else {
    result = fcntl(fd, command, va_arg(arguments, long));
  }
  va_end(arguments);
  return result;
}

ssize_t Read(int fd, void* to, size_t size, off64_t at) {
  return IsOurFile(fd) ? pread64(fd, to, size, at) : -1;
}

ssize_t Write(int fd, const void* from, size_t size, off64_t at) {
  return IsOurFile(fd) ? pwrite64(fd, from, size, at) : -1;
}

int Truncate(int fd, off64_t size) {
  return IsOurFile(fd) ? ftruncate64(fd, size) : -1;
}

int Allocate(int fd, off64_t from, off64_t size) {
  return IsOurFile(fd) ? posix_fallocate64(fd, from, size) : errno;
}

// The index of the log, which readers share.
void* Map(void* at, size_t size, int access, int flags, int fd, off64_t from) {
  if (!IsOurFile(fd)) return MAP_FAILED;
  void* mapped = mmap64(at, size, access, flags, fd, from);
  if (mapped != MAP_FAILED) {
    trace::LetRescue(
        {static_cast<char*>(mapped), size, *Find(fd), from, nullptr, nullptr});
  }
  return mapped;
}

int Unmap(void* at, size_t size) {
  trace::LeaveRescue(at);
  return munmap(at, size);
}

template <class Function>
Database::SystemCall Replace(const char* name, Function* function) {
  return {name, reinterpret_cast<void (*)()>(function)};
}

}  // namespace

void SetUpSqlite() {
  const Database::SystemCall calls[] = {
      Replace("open", Open),          Replace("close", Close),
      Replace("fcntl", Control),      Replace("pread", Read),
      Replace("pread64", Read),       Replace("pwrite", Write),
      Replace("pwrite64", Write),     Replace("ftruncate", Truncate),
      Replace("fallocate", Allocate), Replace("mmap", Map),
      Replace("munmap", Unmap),
  };
  Database::SetUpProcess(calls);
}

bool SqliteFilesAreIntact() {
  return std::all_of(g_files.begin(), g_files.end(), [](const OwnFile& file) {
    return file.fd() < 0 || file.IsIntact();
  });
}

}  // namespace inquest::collector
