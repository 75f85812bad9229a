// SPDX-License-Identifier: Apache-2.0
// The commands as plain data, from which man pages and completions are made, so
// that these cannot differ from what the program takes. Filled by arguments.cc
// from the parser's own tree.
#pragma once

#include <string>
#include <vector>

namespace inquest::cli {

struct OptionPage {
  std::vector<std::string> names;  // "-o", "--output"; a positional has none
  std::string value;               // FILE; empty: a flag
  std::vector<std::string> choices;
  std::string preset;  // without it
  std::string help;
  bool required = false;
  bool repeated = false;
};

struct CommandPage {
  std::vector<std::string> path;  // {"inquest", "rules", "lint"}
  std::string help;
  std::string footer;                 // without the examples
  std::vector<std::string> examples;  // lines to type
  std::vector<OptionPage> options;
  std::vector<OptionPage> positionals;
  std::vector<CommandPage> commands;
};

// "inquest rules lint" with this between the words.
std::string Joined(const std::vector<std::string>& path, const char* between);

// Lines to type, for the command with this path ("rules lint").
std::vector<std::string> ExamplesOf(const std::string& path);

struct EnvironmentVariable {
  const char* name;
  const char* meaning;
};
// All of ours that users may set.
const std::vector<EnvironmentVariable>& EnvironmentVariables();

// roff for man(1); `version` and `date` stand in its footer.
std::string ManPage(const CommandPage& command, const std::string& version);
std::string BashCompletion(const CommandPage& program);
std::string ZshCompletion(const CommandPage& program);
std::string FishCompletion(const CommandPage& program);
// The whole tree, for scripts and tests.
std::string TreeJson(const CommandPage& program);
// docs/environment.md.
std::string EnvironmentMarkdown();

}  // namespace inquest::cli
