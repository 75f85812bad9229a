// SPDX-License-Identifier: Apache-2.0
// The words of the command line: commands, options and what they set. The
// library that parses them stays behind this header, as its templates would
// cost each command's file many seconds of compilation. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace inquest::cli {

// An option, or a word that needs none. A handle; the command owns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& Required();
  // Anything else is refused, with the words that are taken.
  Option& OneOf(const std::vector<std::string>& words);
  Option& Percent();  // 0 to 100
  // What --help calls the value.
  Option& Called(const std::string& name);
  // --help shows the value that it has now.
  Option& ShowDefault();
  // May be repeated, with one word each time: the next one is not its own.
  Option& OneWordEach();

 private:
  CLI::Option* option_;
};

// A command or a command of a command. A handle; the arguments own it.
class Command {
 public:
  Command(CLI::App* app, int* exit_code) : app_(app), exit_code_(exit_code) {}

  Command Add(const std::string& name, const std::string& help) const;
  // `names`: "-o,--output", "NAME" without dashes for a word by its place. The
  // target is written while parsing and must outlive it.
  template <typename T>
  Option Takes(const std::string& names, T* target,
               const std::string& help = {}) const;
  // "!--no-x" sets it to false.
  Option Flag(const std::string& names, bool* target,
              const std::string& help) const;
  void Footer(const std::string& text) const;
  void NeedsCommand() const;
  // What it does once all is parsed; returns the exit code.
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
  // Parses, runs what was asked for and returns its exit code; says what is
  // wrong, or the help, by itself.
  int Run(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
  int exit_code_ = 0;
};

}  // namespace inquest::cli
