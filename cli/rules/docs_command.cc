// SPDX-License-Identifier: Apache-2.0
// `inquest rules docs`: the reference pages of the rules.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "authoring/pages/pages.h"
#include "base/folder_files.h"
#include "base/input_file.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;
using Pages = std::map<std::string, std::string>;

constexpr size_t kMaxPageBytes = 4 << 20;  // far above any page of ours

struct DocsOptions {
  RuleOptions rules;
  std::string out;
  bool check = false;
};

// Empty if it cannot be one of our files: a link, a device, or too large.
std::string ReadText(const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) return {};
  return ReadStart(path, kMaxPageBytes);
}

// Our pages that no rule needs any more. Other files in the folder stay.
std::vector<fs::path> LeftOver(const fs::path& folder, const Pages& pages) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    const std::string name = file.path().filename().string();
    if (file.path().extension() == ".md" && !pages.contains(name) &&
        ReadText(file.path()).starts_with(authoring::kPageMark)) {
      files.push_back(file.path());
    }
  }
  return files;
}

int Check(const fs::path& folder, const Pages& pages) {
  int code = kDone;
  const auto differs = [&](const fs::path& path) {
    Print(path.string() + "\n");
    code = kNo;
  };
  for (const auto& [name, text] : pages) {
    if (ReadText(folder / name) != text) differs(folder / name);
  }
  for (const fs::path& path : LeftOver(folder, pages)) differs(path);
  return code;
}

int Write(const fs::path& folder, const Pages& pages) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const auto& [name, text] : pages) {
    const fs::path path = folder / name;
    if (fs::is_symlink(path, error)) {
      return Fail(Usage(path.string() + " is a link; pages are not written "
                                        "through links")
                      .WithHint("remove it, or choose another folder"));
    }
    const Status written = ReplaceFile(path.string(), text);
    if (!written.ok()) return Fail(written);
  }
  for (const fs::path& path : LeftOver(folder, pages)) fs::remove(path, error);
  Print(fmt::format("{} pages in {}\n", pages.size(), folder.string()));
  return kDone;
}

int Docs(const DocsOptions& options) {
  const auto loaded = ReadRules(options.rules);
  if (!loaded.ok()) return Fail(loaded.status());
  Say(loaded->diagnostics);
  if (HasErrors(loaded->diagnostics)) return kBadRules;
  const Pages pages = authoring::RulePages(loaded->set);
  return options.check ? Check(options.out, pages) : Write(options.out, pages);
}

}  // namespace

void AddRulesDocs(Command rules) {
  auto options = std::make_shared<DocsOptions>();
  const Command docs = rules.Add(
      "docs", "Reference pages: one for each rule and each file of signatures");
  docs.Takes("-o,--output", &options->out, "The folder for the pages")
      .Required()
      .Called("DIR");
  docs.Flag("--check", &options->check,
            "Change nothing; exit 1 if a page is not current");
  AddRuleOptions(docs, &options->rules);
  docs.Run([options] { return Docs(*options); });
}

}  // namespace inquest::cli
