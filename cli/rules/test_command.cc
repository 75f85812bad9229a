// SPDX-License-Identifier: Apache-2.0
// `inquest rules test`: runs the tests beside rules.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "authoring/ruletests/check_names.h"
#include "authoring/ruletests/junit.h"
#include "authoring/ruletests/print.h"
#include "authoring/ruletests/test_files.h"
#include "authoring/ruletests/test_loader.h"
#include "authoring/ruletests/update.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

struct TestOptions {
  std::vector<std::string> paths;
  RuleOptions rules;
  std::string run;
  std::string junit;
  bool diff = false;
  bool coverage = false;
  bool update = false;
  double min_coverage = 0;
};

std::string Canonical(const std::string& path) {
  std::error_code error;
  return std::filesystem::weakly_canonical(path, error).string();
}

// The rules under test override the others, as with --rules; one that is named
// both ways is read once.
Expected<LoadedRules> Load(const TestOptions& options,
                           const ruletests::FoundFiles& found) {
  RuleOptions rules = options.rules;
  std::set<std::string> tested;
  for (const auto& source : found.rules) tested.insert(Canonical(source.name));
  rules.paths.clear();
  for (const std::string& path : options.rules.paths) {
    ASSIGN_OR_RETURN(const auto sources, rules::ReadRuleDirectory(path));
    for (const auto& source : sources) {
      if (tested.contains(Canonical(source.name))) continue;
      rules.paths.push_back(source.name);
    }
  }
  for (const auto& source : found.rules) rules.paths.push_back(source.name);
  return ReadRules(rules);
}

std::vector<ruletests::TestFile> LoadTests(const ruletests::FoundFiles& found,
                                           Diagnostics* diagnostics) {
  std::vector<ruletests::TestFile> files;
  for (const rules::RuleSource& source : found.tests) {
    files.push_back(ruletests::LoadTestFile(source, diagnostics));
  }
  return files;
}

Status Update(const ruletests::Run& run) {
  std::map<const ruletests::TestFile*, std::vector<const ruletests::Result*>>
      by_file;
  for (const ruletests::Result& result : run.results) {
    by_file[result.file].push_back(&result);
  }
  for (const auto& [file, results] : by_file) {
    const auto update = ruletests::UpdateExpectations(*file, results);
    for (const std::string& left : update.left) {
      Print(fmt::format("{}: not updated {}\n", file->path, left));
    }
    if (update.tests == 0) continue;
    RETURN_IF_ERROR(WriteFile(file->path, update.text));
    Print(fmt::format("{}: updated {} test{}\n", file->path, update.tests,
                      update.tests == 1 ? "" : "s"));
  }
  return Status::Ok();
}

int Judge(const TestOptions& options, const ruletests::FoundFiles& found,
          const ruletests::Run& run, const ruletests::Coverage& coverage) {
  const bool whole = found.whole_folder && options.run.empty();
  Print(ruletests::PrintRun(run, coverage,
                            {options.diff, options.coverage, whole}));
  if (run.results.empty()) {
    Print(options.run.empty()
              ? "there is no test: the tests of NAME.yaml belong in "
                "NAME.test.yaml beside it; `inquest rules new` drafts one\n"
              : "no test matches --run\n");
    return kNo;
  }
  if (coverage.Percent() < options.min_coverage) {
    Print(fmt::format("coverage {:.1f} % is below {:.1f} %\n",
                      coverage.Percent(), options.min_coverage));
    return kNo;
  }
  const bool covered = !whole || coverage.Missing().empty();
  return run.ok() && covered ? kDone : kNo;
}

int Test(const TestOptions& options) {
  if (options.paths.empty()) {
    return Fail(
        Usage("there is nothing to test")
            .WithHint("name rule files, test files or folders; the tests of "
                      "the built-in pack are in rules/ of the source"));
  }
  auto found = ruletests::FindTests(options.paths);
  if (!found.ok()) return Fail(found.status());
  auto loaded = Load(options, *found);
  if (!loaded.ok()) return Fail(loaded.status());
  Diagnostics& said = loaded->diagnostics;
  auto files = LoadTests(*found, &said);
  ruletests::UseIdsOfToday(loaded->set, &files);
  ruletests::CheckNames(files, found->tests, loaded->set, &said);
  const bool mistakes = HasErrors(said);
  Say(said);
  std::set<std::string> names;
  for (const auto& source : found->rules) names.insert(source.name);
  ruletests::Coverage coverage(loaded->set, names);
  auto diagnoser = ruletests::Diagnoser::Make(std::move(loaded->set));
  if (!diagnoser.ok()) return Fail(diagnoser.status());
  auto run = ruletests::RunTests(files, options.run, &*diagnoser, &coverage);
  if (!run.ok()) return Fail(run.status());
  Say(diagnoser->diagnostics());
  const int code = Judge(options, *found, *run, coverage);
  if (!options.junit.empty()) {
    const Status wrote = WriteFile(options.junit, ruletests::JUnitXml(*run));
    if (!wrote.ok()) return Fail(wrote);
  }
  if (options.update) {
    if (Status status = Update(*run); !status.ok()) return Fail(status);
  }
  return mistakes || HasErrors(diagnoser->diagnostics()) ? kBadRules : code;
}

}  // namespace

void AddRulesTest(Command rules) {
  auto options = std::make_shared<TestOptions>();
  const Command test =
      rules.Add("test", "Run the tests beside rule files (x.test.yaml)");
  test.Takes("PATH", &options->paths,
             "Rule files, test files, folders of them");
  AddRuleOptions(test, &options->rules);
  test.Takes("--run", &options->run,
             "Only tests whose 'FILE: NAME' matches this expression");
  test.Flag("--diff", &options->diff, "Failures as a table, with all findings");
  test.Takes("--junit", &options->junit, "Also write JUnit XML to this file")
      .Called("FILE");
  test.Flag("--coverage", &options->coverage,
            "Print rules and tests by cause, and missing cases");
  test.Takes("--min-coverage", &options->min_coverage,
             "Fail below this percentage of covered rules")
      .Percent();
  test.Flag("--update", &options->update,
            "Replace failed expectations by the actual results");
  test.Run([options] { return Test(*options); });
}

}  // namespace inquest::cli
