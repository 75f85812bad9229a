// SPDX-License-Identifier: Apache-2.0
// `inquest rules fmt`: rule files in their canonical layout, in place.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>

#include "authoring/fmt/layout.h"
#include "base/folder_files.h"
#include "cli/command.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

struct FmtOptions {
  std::vector<std::string> paths;
  bool check = false;
};

int Filter() {
  rules::RuleSource source;
  source.name = "<stdin>";
  source.text.assign(std::istreambuf_iterator<char>(std::cin), {});
  const auto text = authoring::LayOut(source);
  if (!text.ok()) return Fail(text.status());
  PrintAsItIs(*text);
  return kDone;
}

// Continues after a file that cannot be laid out; returns the worst code.
int Fmt(const FmtOptions& options) {
  if (options.paths == std::vector<std::string>{"-"}) return Filter();
  int code = kDone;
  for (const std::string& path : options.paths) {
    const auto sources = rules::ReadRuleDirectory(path);
    if (!sources.ok()) return Fail(sources.status());
    for (const rules::RuleSource& source : *sources) {
      if (!source.refused.empty()) {
        code = std::max(
            code,
            Fail(Usage(source.name + " was left as it is: " + source.refused)));
        continue;
      }
      const auto text = authoring::LayOut(source);
      if (!text.ok()) {
        code = std::max(code, Fail(text.status()));
        continue;
      }
      if (*text == source.text) continue;
      Print(source.name + "\n");
      if (options.check) {
        code = std::max<int>(code, kNo);
      } else if (Status status = ReplaceFile(source.name, *text);
                 !status.ok()) {
        code = std::max(code, Fail(status));
      }
    }
  }
  return code;
}

}  // namespace

void AddRulesFmt(Command rules) {
  auto options = std::make_shared<FmtOptions>();
  const Command fmt = rules.Add(
      "fmt", "Write rule files in their canonical layout; names those changed");
  fmt.Takes("PATH", &options->paths,
            "Rule files and directories; - is standard input")
      .Required();
  fmt.Flag("--check", &options->check,
           "Change nothing; exit 1 if a file differs");
  fmt.Run([options] { return Fmt(*options); });
}

}  // namespace inquest::cli
