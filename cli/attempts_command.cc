// SPDX-License-Identifier: Apache-2.0
// `inquest attempts`: whether trying a job once more will help.
#include <filesystem>
#include <set>

#include "analyzer/fleet/attempts/attempts.h"
#include "analyzer/fleet/results/read_result.h"
#include "base/parallel.h"
#include "cli/command.h"
#include "cli/fleet/child_diagnosis.h"
#include "cli/fleet/result_files.h"

namespace inquest::cli {
namespace {

struct AttemptsOptions {
  std::vector<std::string> paths;
  ChildOptions child;
  std::string format = "text";
};

using Results = std::vector<Expected<fleet::Result>>;

// Results in files at once, runs by a diagnosis each.
Results ReadAttempt(const std::string& path, const ChildOptions& child) {
  Results found;
  const auto take = [&](const std::string& text, const std::string& source) {
    found.push_back(fleet::ReadResult(text, source));
  };
  std::vector<std::string> files = ResultsIn(path);
  if (files.empty() && std::filesystem::is_regular_file(path) &&
      LooksLikeResult(path)) {
    files = {path};
  }
  for (const std::string& file : files) {
    if (Status status = EachResultIn(file, take); !status.ok()) {
      found.emplace_back(status);
    }
  }
  if (!files.empty()) return found;
  const auto text = DiagnoseInChild(path, child);
  if (!text.ok()) return {text.status()};
  take(*text, path);
  return found;
}

// One attempt that was given twice would look like the same death again.
void DropRepeats(std::vector<fleet::Result>* attempts) {
  std::set<std::string> seen;
  const size_t repeats =
      std::erase_if(*attempts, [&](const fleet::Result& one) {
        return !seen.insert(one.run.run).second;
      });
  if (repeats == 0) return;
  Diagnostic note;
  note.level = Diagnostic::Level::kNote;
  note.message = std::to_string(repeats) +
                 " of them are other copies of an attempt and do not count";
  Say({note});
}

int RunAttempts(const AttemptsOptions& options) {
  std::vector<Results> read(options.paths.size());
  InParallel(options.paths.size(), [&](size_t i) {
    read[i] = ReadAttempt(options.paths[i], options.child);
  });
  std::vector<fleet::Result> attempts;
  int exit_code = kDone;
  for (Results& some : read) {
    for (Expected<fleet::Result>& one : some) {
      if (one.ok()) {
        attempts.push_back(one.Take());
      } else {
        Say({FromStatus(one.status())});
        exit_code = kIncomplete;
      }
    }
  }
  if (attempts.empty()) return kBadUsage;
  DropRepeats(&attempts);
  const bool ordered = fleet::SortByStart(&attempts);
  const fleet::Judgement judgement = fleet::Judge(attempts);
  Print(options.format == "json"
            ? fleet::AttemptsJson(attempts, ordered, judgement)
            : fleet::AttemptsText(attempts, ordered, judgement));
  return exit_code;
}

}  // namespace

void AddAttempts(Command program) {
  auto options = std::make_shared<AttemptsOptions>();
  const Command command = program.Add(
      "attempts", "Several attempts at a job: will another one help?");
  command
      .Takes("JOB", &options->paths,
             "An attempt each: a run directory, a log, a result of `diagnose "
             "--format json`, or a folder of results")
      .Required();
  AddRuleOptions(command, &options->child.rules);
  command.Takes("--format", &options->format, "How to print it")
      .OneOf({"text", "json"})
      .ShowDefault();
  command.Run([options] { return RunAttempts(*options); });
}

}  // namespace inquest::cli
