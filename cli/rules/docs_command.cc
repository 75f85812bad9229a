// SPDX-License-Identifier: Apache-2.0
// `inquest rules docs`: the reference pages of the rules.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "authoring/pages/pages.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;
using Pages = std::map<std::string, std::string>;

struct DocsOptions {
  RuleOptions rules;
  std::string out;
  bool check = false;
};

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
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
    std::ofstream out(folder / name, std::ios::binary);
    out << text;
    if (!out.flush()) {
      return Fail(Internal("cannot write " + (folder / name).string()));
    }
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
  docs.Takes("-o", &options->out, "The folder for the pages")
      .Required()
      .Called("DIR");
  docs.Flag("--check", &options->check,
            "Change nothing; exit 1 if a page is not current");
  AddRuleOptions(docs, &options->rules);
  docs.Run([options] { return Docs(*options); });
}

}  // namespace inquest::cli
