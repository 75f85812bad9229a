// SPDX-License-Identifier: Apache-2.0
// Finding and reading rule files.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyzer/rules/load/loader.h"
#include "base/units.h"

namespace inquest::rules {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxFileBytes = 64 << 20;
constexpr size_t kMaxFiles = 10000;

bool IsRuleFile(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string extension = path.extension().string();
  return !name.starts_with('.') && name != "taxonomy.yaml" &&
         !name.ends_with(".test.yaml") && !name.ends_with(".test.yml") &&
         !name.ends_with(".test.json") &&
         (extension == ".yaml" || extension == ".yml" || extension == ".json");
}

Expected<RuleSource> ReadFile(const fs::path& path) {
  const std::string name = path.string();
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (!error && size > kMaxFileBytes) {
    return Unreadable(name + " is too large for a rule file (" +
                      FormatBytes(static_cast<int64_t>(size)) + ")");
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file && !(file.eof() && size == 0)) {
    if (size == 0 && !error) return RuleSource{name, "", true};
    return Unreadable("cannot read the rule file " + name + ": " +
                      std::strerror(errno));
  }
  return RuleSource{name, std::move(text).str(), true};
}

Expected<std::vector<fs::path>> Walk(const std::string& root) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::recursive_directory_iterator at(root, error);
  for (; !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    // x.test/ has the fixtures of x.test.yaml.
    if (at->path().extension() == ".test") at.disable_recursion_pending();
    if (at->is_regular_file(ignored) && IsRuleFile(at->path())) {
      paths.push_back(at->path());
    }
    if (paths.size() > kMaxFiles) {
      return Unreadable("more than " + std::to_string(kMaxFiles) +
                        " rule files under " + root);
    }
  }
  if (error) {
    return Unreadable("cannot list the rule folder " + root + ": " +
                      error.message());
  }
  std::sort(paths.begin(), paths.end());
  // If several relations hold, the first is quoted: relations in the files of
  // their rules come before the general ones.
  std::stable_partition(paths.begin(), paths.end(), [&](const fs::path& path) {
    return *path.lexically_relative(root).begin() != "relations";
  });
  return paths;
}

}  // namespace

Expected<std::vector<RuleSource>> ReadRuleDirectory(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Unreadable("no rule file or folder at " + path)
        .WithHint("check the path given with --rules");
  }
  std::vector<fs::path> paths = {path};
  if (fs::is_directory(status)) {
    ASSIGN_OR_RETURN(paths, Walk(path));
  } else if (!fs::is_regular_file(status)) {
    return Unreadable(path + " is neither a file nor a folder");
  }
  std::vector<RuleSource> sources;
  for (const fs::path& one : paths) {
    ASSIGN_OR_RETURN(RuleSource source, ReadFile(one));
    sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace inquest::rules
