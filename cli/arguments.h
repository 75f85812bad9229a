// SPDX-License-Identifier: Apache-2.0
// The words of the command line: commands, options and what they set. This
// header hides the library that parses them, because its templates would cost
// each command's file many seconds of compilation. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace inquest::cli {

struct CommandPage;  // manual/pages.h

// An option, or a positional argument. A handle; the command owns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& Required();
  // Anything else is refused, and the message lists the allowed words.
  Option& OneOf(const std::vector<std::string>& words);
  Option& Percent();  // 0 to 100
  // A whole number; both ends are allowed.
  Option& Between(int64_t least, int64_t most);
  // The name of the value in --help.
  Option& Called(const std::string& name);
  // --help shows the current value.
  Option& ShowDefault();
  // May be repeated, with one word each time.
  Option& OneWordEach();

 private:
  CLI::Option* option_;
};

// A command or a command of a command. A handle; the arguments own it.
class Command {
 public:
  Command(CLI::App* app, int* exit_code) : app_(app), exit_code_(exit_code) {}

  Command Add(const std::string& name, const std::string& help) const;
  // `names`: "-o,--output", "NAME" without dashes for a positional argument.
  // The target is written while parsing and must outlive it.
  template <typename T>
  Option Takes(const std::string& names, T* target,
               const std::string& help = {}) const;
  // "!--no-x" sets it to false.
  Option Flag(const std::string& names, bool* target,
              const std::string& help) const;
  void Footer(const std::string& text) const;
  void NeedsCommand() const;
  // Sets what runs after parsing; `body` returns the exit code.
  void Run(std::function<int()> body) const;

 private:
  CLI::App* app_;
  int* exit_code_;
};

class Arguments {
 public:
  Arguments(const std::string& program, const std::string& help,
            const std::string& version);
  ~Arguments();

  Command program();
  // All commands as they were added.
  CommandPage Pages() const;
  // Parses, runs the command and returns its exit code; prints errors and help
  // itself.
  int Run(std::vector<std::string> words);

 private:
  Status FindCommand(const std::vector<std::string>& words) const;
  // What words that were not understood are near to.
  Status Misspelt(const std::vector<std::string>& words) const;

  std::unique_ptr<CLI::App> app_;
  int exit_code_ = 0;
};

}  // namespace inquest::cli
