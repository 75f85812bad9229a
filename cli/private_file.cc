// SPDX-License-Identifier: Apache-2.0
#include "cli/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace inquest::cli {
namespace {

Status CannotWrite(const std::string& path, int error) {
  return Usage("cannot write '" + path + "': " + strerror(error));
}

bool WriteAll(int fd, std::string_view text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<size_t>(wrote);
  }
  return true;
}

bool Sync(int fd) {
  return fsync(fd) == 0 || errno == EINVAL;  // not every file system can
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Status MayReplace(const std::string& path) {
  struct stat there = {};
  if (lstat(path.c_str(), &there) == 0) {
    if (S_ISREG(there.st_mode)) return Status::Ok();
    const char* what = S_ISDIR(there.st_mode)   ? "is a directory"
                       : S_ISLNK(there.st_mode) ? "is a symbolic link"
                                                : "is not an ordinary file";
    return Usage("cannot write '" + path + "': it " + what)
        .WithHint("name a file, or - for standard output");
  }
  if (errno != ENOENT) return CannotWrite(path, errno);
  const std::string folder = FolderOf(path);
  if (stat(folder.c_str(), &there) != 0) return CannotWrite(path, errno);
  if (access(folder.c_str(), W_OK | X_OK) != 0) return CannotWrite(path, errno);
  return Status::Ok();
}

Status WritePrivateFile(
    const std::string& path,
    const std::function<Status(const PrivateFileSink&)>& write) {
  RETURN_IF_ERROR(MayReplace(path));
  std::string made = path + ".XXXXXX";
  const int fd = mkostemp(made.data(), O_CLOEXEC);  // with mode 0600
  if (fd < 0) return CannotWrite(path, errno);
  const Status written = write([&](std::string_view part) {
    return WriteAll(fd, part) ? Status::Ok() : CannotWrite(path, errno);
  });
  int error = !written.ok() || Sync(fd) ? 0 : errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (written.ok() && error == 0 && rename(made.c_str(), path.c_str()) != 0) {
    error = errno;
  }
  if (written.ok() && error == 0) return Status::Ok();
  unlink(made.c_str());
  return written.ok() ? CannotWrite(path, error) : written;
}

Status WritePrivateFile(const std::string& path, const std::string& text) {
  return WritePrivateFile(
      path, [&](const PrivateFileSink& sink) { return sink(text); });
}

}  // namespace inquest::cli
