// SPDX-License-Identifier: Apache-2.0
#include "collector/core/sqlite_setup.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/database.h"

namespace inquest::collector {
namespace {

int OpenHigh(const char* path, int flags, int mode) {
  const int fd = open(path, flags | O_CLOEXEC, mode);
  if (fd < 0) return fd;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, 400);
  if (high < 0) return fd;
  close(fd);
  return high;
}

}  // namespace

void SetUpSqlite() {
  Database::SetUpProcess(OpenHigh);
}

}  // namespace inquest::collector
