// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/test_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/folder_files.h"
#include "base/input_file.h"

namespace inquest::ruletests {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".test.yaml";
constexpr int64_t kMaxTestFileBytes = 8 << 20;  // the YAML reader's own limit

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

Status LeadsOutOfIts(const std::string& path) {
  return Unreadable("the test file " + path +
                    " is a link that leads out of its folder")
      .WithHint("give what it leads to, if you trust it");
}

Expected<rules::RuleSource> ReadTestFile(const std::string& path) {
  if (LeadsOut(path)) return LeadsOutOfIts(path);
  auto text =
      ReadInput("the test file", path, Links::kFollow, kMaxTestFileBytes);
  if (!text.ok()) {
    return Status(text.status())
        .WithHint("keep long logs as files in the folder beside it");
  }
  return rules::RuleSource{path, text.Take(), true};
}

Expected<std::vector<std::string>> TestFilesUnder(const std::string& folder) {
  // x.test/ holds the fixtures of x.test.yaml.
  const auto enter = [](const std::string& path) {
    return fs::path(path).extension() != ".test";
  };
  const auto wanted = [](const std::string& path) { return IsTestFile(path); };
  ASSIGN_OR_RETURN(FolderFiles files, FilesUnder(folder, wanted, enter));
  if (!files.outside.empty()) return LeadsOutOfIts(files.outside.front());
  return std::move(files.files);
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
