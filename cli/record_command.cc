// SPDX-License-Identifier: Apache-2.0
// `inquest record`: runs a command under the collector and, if it died, says
// why in a line.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/record/collector_path.h"
#include "cli/record/record.h"

namespace inquest::cli {
namespace {

std::string InQuotes(const std::string& directory) {
  const bool plain = directory.find_first_of(" '\"$\\") == directory.npos;
  return plain ? directory : "'" + directory + "'";
}

// An error of the diagnosis must not hide the end of the command.
void SayWhy(const record::RecordResult& result) {
  if (!result.died || result.directory.empty()) return;
  SessionOptions options;
  options.paths = {result.directory};
  auto session = Session::Open(options);
  std::string line = "the run died";
  if (session.ok() && session->Diagnose().ok()) {
    line += ": " + report::OneLine(session->diagnosis());
  }
  fmt::print(stderr, "inquest: {}.  Next: inquest diagnose {}\n", line,
             InQuotes(result.directory));
}

// For programs that something else starts: the value of LD_PRELOAD.
int PrintPreload(const record::RecordOptions& options) {
  const auto choice = record::FindCollector(options.collector_path);
  if (choice.path.empty()) {
    return Fail(Status(StatusCode::kUsage, choice.why_not));
  }
  fmt::print("{}\n", record::PreloadValue(choice.path, ""));
  return 0;
}

int Run(const record::RecordOptions& options) {
  auto result = record::Record(options);
  if (!result.ok()) return Fail(result.status());
  SayWhy(*result);
  fflush(nullptr);
  record::ExitLike(*result);
}

}  // namespace

std::vector<std::string> TakeRecordedCommand(std::vector<std::string>* words) {
  if (words->empty() || words->front() != "record") return {};
  size_t at = 1;
  for (; at < words->size(); ++at) {
    const std::string& word = (*words)[at];
    if (word.empty() || word[0] != '-' || word == "--") break;
    const bool has_value =
        word == "-o" || word == "--output" || word == "--collector";
    if (has_value) ++at;
  }
  if (at >= words->size()) return {};
  const auto end = words->begin() + static_cast<std::ptrdiff_t>(at);
  const bool separator = (*words)[at] == "--";
  std::vector<std::string> command(end + (separator ? 1 : 0), words->end());
  words->erase(end, words->end());
  return command;
}

void AddRecord(Command program, const std::vector<std::string>& recorded) {
  auto options = std::make_shared<record::RecordOptions>();
  auto print_preload = std::make_shared<bool>(false);
  const Command command = program.Add(
      "record", "Run a command under the collector: record [-o DIR] -- CMD…");
  command.Takes("-o,--output", &options->directory,
                "Directory of the run (default: runs/<program>-<time>)");
  command.Takes("--collector", &options->collector_path,
                "The collector library to load");
  command.Flag("!--no-collector", &options->collector,
               "Keep only the console output");
  command.Flag("--print-preload", print_preload.get(),
               "Run nothing; print the LD_PRELOAD that records a program");
  command.Footer("What follows the options is the command, with arguments.");
  options->command = recorded;
  command.Run([options, print_preload] {
    return *print_preload ? PrintPreload(*options) : Run(*options);
  });
}

}  // namespace inquest::cli
