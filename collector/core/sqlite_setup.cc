#include "collector/core/sqlite_setup.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

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
  // Refused when SQLite is already up, as in a forked child: it is set then.
  sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
  sqlite3_initialize();
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  if (vfs != nullptr && vfs->iVersion >= 3) {
    vfs->xSetSystemCall(vfs, "open",
                        reinterpret_cast<sqlite3_syscall_ptr>(OpenHigh));
  }
}

}  // namespace inquest::collector
