// SPDX-License-Identifier: Apache-2.0
#include "trace/store/private_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace inquest::trace {

Expected<int> OpenPrivate(const std::string& path, int flags) {
  const int fd = open(path.c_str(),
                      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (fd >= 0) return fd;
  return Unreadable("cannot write '" + path + "': " + std::strerror(errno));
}

Status MakePrivate(const std::string& path, int flags) {
  ASSIGN_OR_RETURN(const int fd, OpenPrivate(path, flags));
  close(fd);
  return Status::Ok();
}

}  // namespace inquest::trace
