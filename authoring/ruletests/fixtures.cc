// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/fixtures.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/glob.h"

namespace inquest::ruletests {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFixtures = 10000;
constexpr uintmax_t kMaxFixtureBytes = 64 << 20;  // of one fixture

// Links are followed only if they stay inside.
bool IsInside(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return false;
  const fs::path real = fs::canonical(file, error);
  if (error) return false;
  return std::mismatch(root.begin(), root.end(), real.begin(), real.end())
             .first == root.end();
}

bool Leaves(const std::string& glob) {
  const fs::path path(glob);
  return path.is_absolute() ||
         std::find(path.begin(), path.end(), "..") != path.end();
}

}  // namespace

Fixtures::Fixtures(const std::string& folder) : folder_(folder) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || !IsInside(folder, at->path())) {
      continue;
    }
    if (files_.size() < kMaxFixtures) {
      files_.push_back(at->path().lexically_relative(folder).string());
    }
  }
  std::sort(files_.begin(), files_.end());
}

Expected<std::vector<std::string>> Fixtures::Find(const std::string& glob) {
  if (Leaves(glob)) {
    return Usage("'" + glob + "' leads out of " + folder_)
        .WithHint("fixtures must be in the folder beside the test file");
  }
  std::vector<std::string> found;
  for (const std::string& file : files_) {
    if (!MatchesGlob(glob, file)) continue;
    const std::string path = folder_ + "/" + file;
    std::error_code error;
    if (fs::file_size(path, error) > kMaxFixtureBytes) {
      return Usage("the fixture " + path + " is larger than 64 MiB");
    }
    used_.insert(file);
    found.push_back(path);
  }
  if (found.empty()) {
    return Usage("'" + glob + "' matches no file in " + folder_)
        .WithHint(files_.empty() ? "there is no fixture in it"
                                 : "the first one in it is " + files_.front());
  }
  return found;
}

std::vector<std::string> Fixtures::Unused() const {
  std::vector<std::string> unused;
  for (const std::string& file : files_) {
    if (!used_.contains(file)) unused.push_back(folder_ + "/" + file);
  }
  return unused;
}

Expected<std::string> ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    return Unreadable("cannot read " + path + ": " + std::strerror(errno));
  }
  return std::move(text).str();
}

}  // namespace inquest::ruletests
