// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/child_diagnosis.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "cli/fleet/child_process.h"

namespace inquest::cli {
namespace {

std::vector<std::string> WordsFor(const std::string& path,
                                  const RuleOptions& rules) {
  std::vector<std::string> words = {"inquest", "diagnose", "--format",
                                    "ndjson"};
  if (rules.no_default) words.emplace_back("--no-default-rules");
  for (const std::string& one : rules.paths) {
    words.emplace_back("--rules");
    words.push_back(one);
  }
  words.emplace_back("--");
  words.push_back(path);
  return words;
}

}  // namespace

void AddChildOptions(const Command& command, ChildOptions* options) {
  command
      .Takes("--run-timeout", &options->timeout_s,
             "Seconds for the diagnosis of one run")
      .Between(1, 86'400)
      .ShowDefault();
  AddRuleOptions(command, &options->rules);
}

Expected<std::string> DiagnoseInChild(const std::string& path,
                                      const ChildOptions& options) {
  ASSIGN_OR_RETURN(Ended ended,
                   RunToEnd("/proc/self/exe", WordsFor(path, options.rules),
                            std::chrono::seconds(options.timeout_s)));
  if (!ended.in_time) {
    return Unreadable(fmt::format("the diagnosis of '{}' took longer than {} s",
                                  path, options.timeout_s));
  }
  if (!ended.output.empty()) return std::move(ended.output);
  const std::string& all = ended.complaint;
  const std::string said = all.substr(0, all.find('\n'));
  return Unreadable(fmt::format("'{}' was not diagnosed: {}", path,
                                said.empty() ? ended.Words() : said));
}

}  // namespace inquest::cli
