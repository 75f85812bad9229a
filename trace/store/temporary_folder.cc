// SPDX-License-Identifier: Apache-2.0
#include "trace/store/temporary_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <utility>

namespace inquest::trace {
namespace {

constexpr const char* kPrefix = "inquest-run-";
constexpr time_t kYoung = 60;  // seconds: its maker may not have locked it yet

std::string Parent() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen == nullptr || *chosen == '\0' ? "/tmp" : chosen;
}

int OpenFolder(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool IsOursAndOld(int folder) {
  struct stat info {};
  return fstat(folder, &info) == 0 && info.st_uid == geteuid() &&
         time(nullptr) - info.st_mtime > kYoung;
}

// std::filesystem would bring the C++ library's locales into every program that
// is recorded.
void ForEachName(const std::string& folder,
                 const std::function<void(const std::string&)>& use) {
  DIR* names = opendir(folder.c_str());
  if (names == nullptr) return;
  while (const dirent* one = readdir(names)) use(one->d_name);
  closedir(names);
}

// Its files, then itself. There are no folders in it.
void Remove(const std::string& path) {
  ForEachName(path, [&](const std::string& name) {
    unlink((path + '/' + name).c_str());
  });
  rmdir(path.c_str());
}

void RemoveIfLeft(const std::string& path) {
  const int folder = OpenFolder(path);
  if (folder < 0) return;
  if (IsOursAndOld(folder) && flock(folder, LOCK_EX | LOCK_NB) == 0) {
    Remove(path);
  }
  close(folder);
}

void RemoveLeft() {
  const std::string parent = Parent();
  ForEachName(parent, [&](const std::string& name) {
    if (name.starts_with(kPrefix)) RemoveIfLeft(parent + '/' + name);
  });
}

}  // namespace

Expected<TemporaryFolder> TemporaryFolder::Make() {
  RemoveLeft();
  std::string path = Parent() + '/' + kPrefix + "XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return Status(StatusCode::kIncomplete, path + ": " + std::strerror(errno));
  }
  TemporaryFolder folder;
  folder.path_ = path + '/';
  folder.held_ = OpenFolder(path);
  if (folder.held_ >= 0) flock(folder.held_, LOCK_EX | LOCK_NB);
  return folder;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& from) noexcept
    : path_(std::exchange(from.path_, {})),
      held_(std::exchange(from.held_, -1)) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& from) noexcept {
  std::swap(path_, from.path_);
  std::swap(held_, from.held_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) Remove(path_);
  if (held_ >= 0) close(held_);
}

}  // namespace inquest::trace
