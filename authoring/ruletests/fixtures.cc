// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/fixtures.h"

#include <algorithm>
#include <filesystem>

#include "base/folder_files.h"
#include "base/glob.h"
#include "base/input_file.h"

namespace inquest::ruletests {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxFixtureBytes = 64 << 20;  // of one fixture

bool Leaves(const std::string& glob) {
  const fs::path path(glob);
  return path.is_absolute() ||
         std::find(path.begin(), path.end(), "..") != path.end();
}

}  // namespace

Fixtures::Fixtures(const std::string& folder) : folder_(folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  const auto all = [](const std::string&) { return true; };
  auto found = FilesUnder(folder, all, all);
  if (!found.ok()) {
    unread_ = found.status();
    return;
  }
  for (const std::string& path : found->files) {
    files_.push_back(fs::path(path).lexically_relative(folder).string());
  }
  std::sort(files_.begin(), files_.end());
}

Expected<std::vector<std::string>> Fixtures::Find(const std::string& glob) {
  if (Leaves(glob)) {
    return Usage("'" + glob + "' leads out of " + folder_)
        .WithHint("fixtures must be in the folder beside the test file");
  }
  RETURN_IF_ERROR(unread_);
  std::vector<std::string> found;
  for (const std::string& file : files_) {
    if (!MatchesGlob(glob, file)) continue;
    const std::string path = folder_ + "/" + file;
    std::error_code error;
    if (fs::file_size(path, error) > static_cast<uintmax_t>(kMaxFixtureBytes)) {
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
  return ReadInput("the fixture", path, Links::kFollow, kMaxFixtureBytes);
}

}  // namespace inquest::ruletests
