// SPDX-License-Identifier: Apache-2.0
#include "cli/session_options.h"

#include <algorithm>
#include <filesystem>

#include "base/shell_words.h"
#include "cli/imports.h"

namespace inquest::cli {
namespace {

constexpr int64_t kMaxMilliseconds = int64_t{7} * 24 * 60 * 60 * 1000;

}  // namespace

void AddSessionOptions(Command command, SessionOptions* options) {
  command.Takes(
      "PATH", &options->paths,
      "Run directories, traces, logs, other tools' files (see `inquest import "
      "--help`); - is standard input");
  command.Takes("--log", &options->logs, "Another log to read")
      .Called("FILE")
      .OneWordEach();
  command
      .Takes("--source", &options->sources,
             "Read a file as the given kind: " + SourceKinds())
      .Called("KIND=FILE")
      .OneWordEach();
  command
      .Takes("--timeout-ms", &options->timeout_ms,
             "Stop reading traces and applying rules after this time")
      .Between(1, kMaxMilliseconds);
  command
      .Takes("--rank-pattern", &options->rank_pattern,
             "How this job's files are named: a regular expression over the "
             "path in the job's folder, with the groups rank, node, attempt")
      .Called("REGEX");
  AddRuleOptions(command, &options->rules);
}

bool ReadsStream(const SessionOptions& options) {
  const auto is_stream = [](const std::string& path) {
    std::error_code error;
    return !std::filesystem::is_regular_file(path, error) &&
           !std::filesystem::is_directory(path, error);
  };
  return std::ranges::any_of(options.paths, is_stream) ||
         std::ranges::any_of(options.logs, is_stream);
}

std::string ArgumentsOf(const SessionOptions& options) {
  if (ReadsStream(options)) return {};
  std::string words;
  const auto add = [&](const std::string& option, const auto& values) {
    for (const std::string& one : values) {
      words += (words.empty() ? "" : " ") + option + ShellWord(one);
    }
  };
  add("", options.paths);
  add("--log ", options.logs);
  add("--source ", options.sources);
  return words;
}

}  // namespace inquest::cli
