// SPDX-License-Identifier: Apache-2.0
#include "trace/journal/own_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace inquest::trace {
namespace {

constexpr int kHigh = 400;

int MoveHigh(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kHigh);
  if (high < 0) return fd;
  close(fd);
  return high;
}

int OfDescription(int command) {
  switch (command) {
    case F_SETLK:
      return F_OFD_SETLK;
    case F_SETLKW:
      return F_OFD_SETLKW;
    default:
      return F_OFD_GETLK;
  }
}

}  // namespace

OwnFile::OwnFile(int fd) : fd_(fd) {
  struct stat info {};
  if (fd < 0 || fstat(fd, &info) != 0) return;
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

bool OwnFile::IsIntact() const {
  struct stat info {};
  return fd_ >= 0 && fstat(fd_, &info) == 0 && info.st_dev == device_ &&
         info.st_ino == inode_;
}

void OwnFile::Close() {
  if (IsIntact()) close(fd_);
  fd_ = -1;
}

int OpenOwn(const char* path, int flags, mode_t mode) {
  const int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode);
  return fd < 0 ? fd : MoveHigh(fd);
}

int LockOwn(int fd, int command, struct flock* lock) {
  struct flock wanted = *lock;
  wanted.l_pid = 0;  // demanded by these locks
  if (fcntl(fd, OfDescription(command), &wanted) == 0) {
    *lock = wanted;
    return 0;
  }
  return errno == EINVAL ? fcntl(fd, command, lock) : -1;
}

}  // namespace inquest::trace
