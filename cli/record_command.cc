// SPDX-License-Identifier: Apache-2.0
// `inquest record`: runs a command under the collector and, if it died, says
// why in a line.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "base/units.h"
#include "cli/command.h"
#include "cli/record/collector_path.h"
#include "cli/record/record.h"
#include "cli/record/say.h"
#include "cli/verdict_line.h"

namespace inquest::cli {
namespace {

std::string InQuotes(const std::string& directory) {
  const bool plain = directory.find_first_of(" '\"$\\") == directory.npos;
  return plain ? directory : "'" + directory + "'";
}

// The diagnosis must neither hide nor delay the end of the command.
void SayWhy(const record::RecordResult& result, const VerdictLimits& limits) {
  if (!result.died || result.directory.empty()) return;
  const VerdictLine verdict = FindVerdictLine(result.directory, limits);
  std::string line = "the run died";
  if (verdict.text.starts_with("the run ")) {
    line = verdict.text;
  } else if (!verdict.text.empty()) {
    line += ": " + verdict.text;
  }
  if (!verdict.why_not.empty()) line += "; " + verdict.why_not;
  record::Say(fmt::format("{}.  Next: inquest diagnose {}", line,
                          InQuotes(result.directory)));
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

struct Options {
  record::RecordOptions record;
  std::string console;        // size
  double verdict_within = 5;  // seconds
  bool print_preload = false;
  bool no_collector = false;
  std::vector<std::string> shown;  // in --help; see TakeRecordedCommand
};

int Run(Options options) {
  if (!options.console.empty()) {
    const auto bytes = ParseBytes(options.console);
    if (!bytes || *bytes <= 0) {
      return Fail(Usage(fmt::format(
          "--max-console '{}' is not a size such as 64MiB", options.console)));
    }
    options.record.console_bytes = static_cast<uint64_t>(*bytes);
  }
  auto result = record::Record(options.record);
  if (!result.ok()) return Fail(result.status());
  VerdictLimits limits;
  limits.deadline = std::chrono::milliseconds(
      std::llround(std::clamp(options.verdict_within, 0.0, 86400.0) * 1000));
  SayWhy(*result, limits);
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
    const bool has_value = word == "-o" || word == "--output" ||
                           word == "--collector" || word == "--max-console" ||
                           word == "--verdict-within";
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
  auto all = std::make_shared<Options>();
  record::RecordOptions* options = &all->record;
  const Command command = program.Add(
      "record", "Run a command under the collector: record [-o DIR] -- CMD…");
  command.Takes("-o,--output", &options->directory,
                "Directory of the run (default: runs/<program>-<time>)");
  command.Takes("--collector", &options->collector_path,
                "The collector library to load");
  command.Flag("--no-collector", &all->no_collector,
               "Keep only the console output");
  command.Takes("--max-console", &all->console,
                "Size of console.log; what exceeds it is left out in the "
                "middle (default: 64MiB)");
  command.Takes("--verdict-within", &all->verdict_within,
                "Seconds for the verdict at the end (default: 5; 0: none)");
  command.Flag("--print-preload", &all->print_preload,
               "Run nothing; print the LD_PRELOAD that records a program");
  command.Takes("COMMAND", &all->shown,
                "What to run, with its arguments, after --");
  command.Footer(
      "What follows the options is the command, with arguments. It runs and\n"
      "ends as without inquest. If the recorder itself is killed (SIGKILL), "
      "the\n"
      "command goes on, with its output; to end both, end the command or "
      "their\n"
      "process group. Passwords and tokens are masked in what is kept.");
  options->command = recorded;
  command.Run([all] {
    all->record.collector = !all->no_collector;
    return all->print_preload ? PrintPreload(all->record) : Run(*all);
  });
}

}  // namespace inquest::cli
