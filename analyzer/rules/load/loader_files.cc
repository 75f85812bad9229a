// SPDX-License-Identifier: Apache-2.0
// Finding and reading rule files.

#include <algorithm>
#include <filesystem>

#include "analyzer/rules/load/loader.h"
#include "base/folder_files.h"
#include "base/input_file.h"
#include "base/units.h"

namespace inquest::rules {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxFileBytes = 16 << 20;
constexpr int64_t kMaxFolderBytes = 32 << 20;

bool IsRuleFile(const std::string& text) {
  const fs::path path(text);
  const std::string name = path.filename().string();
  const std::string extension = path.extension().string();
  return !name.starts_with('.') && name != "taxonomy.yaml" &&
         name != "world.yaml" && !name.ends_with(".test.yaml") &&
         !name.ends_with(".test.yml") && !name.ends_with(".test.json") &&
         (extension == ".yaml" || extension == ".yml" || extension == ".json");
}

// Its text is not read: it would be quoted in messages.
RuleSource Refused(const std::string& path) {
  RuleSource source;
  source.name = path;
  source.refused = "it is a link that leads out of its folder";
  return source;
}

struct FoundFile {
  std::string path;
  bool outside = false;
};

Expected<std::vector<FoundFile>> FilesIn(const std::string& root) {
  // x.test/ has the fixtures of x.test.yaml.
  const auto enter = [](const std::string& path) {
    return fs::path(path).extension() != ".test";
  };
  ASSIGN_OR_RETURN(const FolderFiles files,
                   FilesUnder(root, IsRuleFile, enter));
  std::vector<FoundFile> found;
  for (const std::string& path : files.files) found.push_back({path, false});
  for (const std::string& path : files.outside) found.push_back({path, true});
  std::sort(found.begin(), found.end(),
            [](const FoundFile& a, const FoundFile& b) {
              return fs::path(a.path) < fs::path(b.path);
            });
  // If several relations hold, the first is quoted: relations in the files of
  // their rules come before the general ones.
  std::stable_partition(found.begin(), found.end(), [&](const FoundFile& one) {
    return *fs::path(one.path).lexically_relative(root).begin() != "relations";
  });
  return found;
}

}  // namespace

Expected<std::vector<RuleSource>> ReadRuleDirectory(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Unreadable("no rule file or folder at " + path)
        .WithHint("check the path given with --rules");
  }
  std::vector<FoundFile> found = {{path, LeadsOut(path)}};
  if (fs::is_directory(status)) {
    ASSIGN_OR_RETURN(found, FilesIn(path));
  } else if (!fs::is_regular_file(status)) {
    return Unreadable(path + " is neither a file nor a folder");
  }
  std::vector<RuleSource> sources;
  int64_t bytes = 0;
  for (const FoundFile& one : found) {
    if (one.outside) {
      sources.push_back(Refused(one.path));
      continue;
    }
    ASSIGN_OR_RETURN(
        std::string text,
        ReadInput("the rule file", one.path, Links::kFollow, kMaxFileBytes));
    bytes += std::ssize(text);
    if (bytes > kMaxFolderBytes) {
      return Unreadable("the rule files under " + path + " are larger than " +
                        FormatBytes(kMaxFolderBytes) + " together")
          .WithHint("give fewer rule files at a time");
    }
    sources.push_back(RuleSource{one.path, std::move(text), true});
  }
  return sources;
}

}  // namespace inquest::rules
