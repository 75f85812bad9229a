// SPDX-License-Identifier: Apache-2.0
// Descriptors of ours inside somebody else's process. The host may close any
// number, as a program does that becomes a daemon, and open its own file under
// it; what we would write then goes into the host's file. So each descriptor is
// remembered with the file that it stood for and compared before it is used.
//
// Locks are those of the open file description (fcntl(2), Linux 3.15): the
// usual ones are gone as soon as the host closes any descriptor of the same
// file, for instance after copying its own run directory.
//
// No failure is fatal. Not thread-safe.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

namespace inquest::trace {

class OwnFile {
 public:
  OwnFile() = default;
  explicit OwnFile(int fd);  // takes over fd, which may be -1

  int fd() const { return fd_; }
  // Whether fd() still stands for the file that it was opened for.
  bool IsIntact() const;
  // Closes it, unless it is somebody else's by now.
  void Close();

 private:
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Opens without following a symbolic link, closed at exec, with a number that
// hosts rarely use. -1 and errno as open(2).
int OpenOwn(const char* path, int flags, mode_t mode);

// fcntl(2) for F_SETLK, F_SETLKW and F_GETLK with a lock of the open file
// description; where there are none, with a usual one.
int LockOwn(int fd, int command, struct flock* lock);

}  // namespace inquest::trace
