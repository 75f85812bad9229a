// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "cli/record/fd.h"
#include "trace/records/event.h"

namespace inquest::record {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxAttempts = 10000;

std::string DefaultPath(const std::string& name) {
  const time_t now = time(nullptr);
  struct tm parts;
  localtime_r(&now, &parts);
  char stamp[32];
  strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
  return fmt::format("runs/{}-{}", name, stamp);
}

Status Failure(const std::string& path, const std::string& why) {
  return Internal(fmt::format("cannot keep the run in {}: {}", path, why));
}

// True if `path` is now ours; false if another run has it.
Expected<bool> Claim(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return Failure(path, strerror(errno));
  }
  const std::string console = path + "/" + std::string(trace::kConsoleLog);
  if (access(console.c_str(), F_OK) == 0 || HoldsTrace(path)) return false;
  const std::string file = path + "/" + std::string(trace::kRunFile);
  UniqueFd fd(
      open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (fd.ok()) return true;
  if (errno == EEXIST) return false;
  return Failure(path, strerror(errno));
}

std::string WithoutTrailingSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Expected<RunDirectory> MakeRunDirectory(const std::string& wanted,
                                        const std::string& name) {
  const std::string first =
      wanted.empty() ? DefaultPath(name) : WithoutTrailingSlash(wanted);
  std::error_code error;
  const fs::path parent = fs::path(first).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  if (error) return Failure(first, error.message());

  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    const std::string path =
        attempt == 1 ? first : fmt::format("{}-{}", first, attempt);
    ASSIGN_OR_RETURN(const bool ours, Claim(path));
    if (!ours) continue;
    const fs::path absolute = fs::absolute(path, error);
    if (error) return Failure(path, error.message());
    return RunDirectory{path, absolute.native(),
                        attempt > 1 && !wanted.empty()};
  }
  return Failure(first, "too many runs of this name");
}

bool HoldsTrace(const std::string& directory) {
  std::error_code error;
  fs::directory_iterator files(directory, error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    const std::string name = files->path().filename().native();
    if (name.ends_with(trace::kTraceSuffix) ||
        name.ends_with(trace::kJournalSuffix)) {
      return true;
    }
  }
  return false;
}

}  // namespace inquest::record
