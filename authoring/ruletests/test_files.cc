// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/test_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace inquest::ruletests {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".test.yaml";
constexpr uintmax_t kMaxTestFileBytes = 8 << 20;  // the YAML reader's own limit
constexpr size_t kMaxFiles = 10000;

bool IsTestFile(const fs::path& path) {
  return path.string().ends_with(kSuffix);
}

// "a/x.yaml" -> "a/x.test.yaml" and back; empty if there is no such file.
std::string Beside(const std::string& path) {
  std::string other = path;
  if (IsTestFile(path)) {
    other.replace(path.size() - kSuffix.size(), kSuffix.size(), ".yaml");
  } else {
    other = fs::path(path).replace_extension(kSuffix).string();
  }
  std::error_code error;
  return fs::is_regular_file(other, error) ? other : "";
}

Expected<rules::RuleSource> ReadTestFile(const std::string& path) {
  std::error_code error;
  if (fs::file_size(path, error) > kMaxTestFileBytes && !error) {
    return Unreadable(path + " is too large for a test file")
        .WithHint("keep long logs as files in the folder beside it");
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    return Unreadable("cannot read " + path + ": " + std::strerror(errno));
  }
  return rules::RuleSource{path, std::move(text).str(), true};
}

Expected<std::vector<std::string>> TestFilesUnder(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    // x.test/ holds the fixtures of x.test.yaml.
    if (at->path().extension() == ".test") at.disable_recursion_pending();
    if (IsTestFile(at->path()) && at->is_regular_file(ignored)) {
      found.push_back(at->path().string());
    }
    if (found.size() > kMaxFiles) {
      return Unreadable("too many test files under " + folder);
    }
  }
  if (error) {
    return Unreadable("cannot list " + folder + ": " + error.message());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class Finder {
 public:
  Status Add(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error)) {
      return Unreadable("no rule file or folder at " + path);
    }
    if (fs::is_directory(path, error)) {
      found_.whole_folder = true;
      RETURN_IF_ERROR(AddRules(path));
      ASSIGN_OR_RETURN(const auto tests, TestFilesUnder(path));
      for (const std::string& test : tests) RETURN_IF_ERROR(AddTest(test));
      return Status::Ok();
    }
    const std::string other = Beside(path);
    const bool is_test = IsTestFile(path);
    const std::string& rule = is_test ? other : path;
    const std::string& test = is_test ? path : other;
    if (!rule.empty()) RETURN_IF_ERROR(AddRules(rule));
    return test.empty() ? Status::Ok() : AddTest(test);
  }

  FoundFiles Take() { return std::move(found_); }

 private:
  bool IsNew(const std::string& path) {
    std::error_code error;
    return seen_.insert(fs::weakly_canonical(path, error).string()).second;
  }
  Status AddRules(const std::string& path) {
    ASSIGN_OR_RETURN(auto sources, rules::ReadRuleDirectory(path));
    for (auto& source : sources) {
      if (IsNew(source.name)) found_.rules.push_back(std::move(source));
    }
    return Status::Ok();
  }
  Status AddTest(const std::string& path) {
    if (!IsNew(path)) return Status::Ok();
    ASSIGN_OR_RETURN(auto source, ReadTestFile(path));
    found_.tests.push_back(std::move(source));
    return Status::Ok();
  }

  FoundFiles found_;
  std::set<std::string> seen_;
};

}  // namespace

Expected<FoundFiles> FindTests(const std::vector<std::string>& paths) {
  Finder finder;
  for (const std::string& path : paths) RETURN_IF_ERROR(finder.Add(path));
  return finder.Take();
}

}  // namespace inquest::ruletests
