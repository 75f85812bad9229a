// SPDX-License-Identifier: Apache-2.0
#include "base/folder_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/units.h"

namespace inquest {
namespace {

namespace fs = std::filesystem;

Status TooMany(const std::string& folder, size_t most, const char* what) {
  return Unreadable("more than " + FormatCount(static_cast<int64_t>(most)) +
                    " " + what + " under " + folder)
      .WithHint("give the folder of the rules itself, not one above it");
}

// A recursive iterator of the standard library keeps the whole path of each
// level, which is quadratic in the depth.
class Walk {
 public:
  Walk(const std::string& root, const PathTest& wanted, const PathTest& enter,
       const FolderLimits& limits)
      : root_(root), wanted_(wanted), enter_(enter), limits_(limits) {}

  Status Into(const std::string& folder, size_t depth) {
    if (depth > limits_.depth) {
      return TooMany(root_, limits_.depth, "folders within each other");
    }
    std::error_code error;
    std::vector<fs::directory_entry> folders;
    fs::directory_iterator at(folder, error);
    for (; !error && at != fs::directory_iterator(); at.increment(error)) {
      if (++entries_ > limits_.entries) {
        return TooMany(root_, limits_.entries, "files and folders");
      }
      if (at->is_symlink() || !at->is_directory()) {
        RETURN_IF_ERROR(Add(at->path().string()));
      } else if (enter_(at->path().string())) {
        folders.push_back(*at);
      }
    }
    if (error) {
      return Unreadable("cannot list the folder " + folder + ": " +
                        error.message());
    }
    for (const fs::directory_entry& one : folders) {
      RETURN_IF_ERROR(Into(one.path().string(), depth + 1));
    }
    return Status::Ok();
  }

  FolderFiles Take() {
    std::sort(found_.files.begin(), found_.files.end());
    std::sort(found_.outside.begin(), found_.outside.end());
    return std::move(found_);
  }

 private:
  Status Add(const std::string& path) {
    std::error_code error;
    if (!wanted_(path) || !fs::is_regular_file(path, error)) {
      return Status::Ok();
    }
    (LeadsOut(root_, path) ? found_.outside : found_.files).push_back(path);
    if (found_.files.size() + found_.outside.size() <= limits_.files) {
      return Status::Ok();
    }
    return TooMany(root_, limits_.files, "such files");
  }

  const std::string& root_;
  const PathTest& wanted_;
  const PathTest& enter_;
  const FolderLimits& limits_;
  FolderFiles found_;
  size_t entries_ = 0;
};

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

Status Failed(const std::string& path) {
  return Internal("cannot write " + path + ": " + std::strerror(errno));
}

// A name under which nobody can have prepared a link.
Status WriteNew(const std::string& path, const struct stat* like,
                const std::string& text) {
  const File file(open(path.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       0666));
  if (file.fd() < 0) return Failed(path);
  if (like != nullptr && fchmod(file.fd(), like->st_mode & 0777) != 0) {
    return Failed(path);
  }
  for (size_t done = 0; done < text.size();) {
    const ssize_t now =
        write(file.fd(), text.data() + done, text.size() - done);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return Failed(path);
    done += static_cast<size_t>(now);
  }
  return Status::Ok();
}

}  // namespace

Expected<FolderFiles> FilesUnder(const std::string& folder,
                                 const PathTest& wanted, const PathTest& enter,
                                 const FolderLimits& limits) {
  Walk walk(folder, wanted, enter, limits);
  RETURN_IF_ERROR(walk.Into(folder, 0));
  return walk.Take();
}

bool LeadsOut(const std::string& folder, const std::string& path) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return true;
  const fs::path real = fs::canonical(path, error);
  if (error) return true;
  return std::mismatch(root.begin(), root.end(), real.begin(), real.end())
             .first != root.end();
}

bool LeadsOut(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return false;
  const std::string folder = fs::path(path).parent_path().string();
  return LeadsOut(folder.empty() ? "." : folder, path);
}

Status ReplaceFile(const std::string& path, const std::string& text) {
  std::error_code error;
  const bool is_there = fs::exists(fs::symlink_status(path, error));
  if (LeadsOut(path)) {
    return Usage(path + " is a link that leads out of its folder")
        .WithHint("write to what it leads to, or remove the link");
  }
  const std::string target =
      is_there ? fs::canonical(path, error).string() : path;
  struct stat before {};
  if (is_there &&
      (stat(target.c_str(), &before) != 0 || !S_ISREG(before.st_mode))) {
    return Usage(path + " is not a file").WithHint("give another name");
  }
  const std::string fresh = target + ".new";
  unlink(fresh.c_str());
  Status written = WriteNew(fresh, is_there ? &before : nullptr, text);
  if (written.ok() && rename(fresh.c_str(), target.c_str()) != 0) {
    written = Failed(target);
  }
  if (!written.ok()) unlink(fresh.c_str());
  return written;
}

}  // namespace inquest
