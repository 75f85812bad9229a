// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/units.h"
#include "cli/command.h"

namespace inquest::cli {

Option& Option::Required() {
  option_->required();
  return *this;
}

Option& Option::OneOf(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::Percent() {
  option_->check(CLI::Range(0, 100));
  return *this;
}

Option& Option::Between(int64_t least, int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::Called(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::ShowDefault() {
  option_->capture_default_str();
  return *this;
}

Option& Option::OneWordEach() {
  option_->allow_extra_args(false);
  return *this;
}

Command Command::Add(const std::string& name, const std::string& help) const {
  return Command(app_->add_subcommand(name, help), exit_code_);
}

template <typename T>
Option Command::Takes(const std::string& names, T* target,
                      const std::string& help) const {
  return Option(app_->add_option(names, *target, help));
}

// All that a word can be.
template Option Command::Takes(const std::string&, std::string*,
                               const std::string&) const;
template Option Command::Takes(const std::string&, std::vector<std::string>*,
                               const std::string&) const;
template Option Command::Takes(const std::string&, int64_t*,
                               const std::string&) const;
template Option Command::Takes(const std::string&, size_t*,
                               const std::string&) const;
template Option Command::Takes(const std::string&, double*,
                               const std::string&) const;

Option Command::Flag(const std::string& names, bool* target,
                     const std::string& help) const {
  return Option(app_->add_flag(names, *target, help));
}

void Command::Footer(const std::string& text) const {
  app_->footer(text);
}

void Command::NeedsCommand() const {
  app_->require_subcommand(1);
}

void Command::Run(std::function<int()> body) const {
  app_->callback(
      [body = std::move(body), code = exit_code_] { *code = body(); });
}

Arguments::Arguments(const std::string& program, const std::string& help,
                     const std::string& version)
    : app_(std::make_unique<CLI::App>(help, program)), exit_code_(kDone) {
  app_->set_version_flag("--version", version);
}

Arguments::~Arguments() = default;

Command Arguments::program() {
  return Command(app_.get(), &exit_code_);
}

int Arguments::Run(std::vector<std::string> words) {
  try {
    std::reverse(words.begin(),
                 words.end());  // the order that the library needs
    app_->parse(words);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int code = app_->exit(error, out, err);
    Print(out.str());
    const std::string said = PrintableLines(err.str());
    fwrite(said.data(), 1, said.size(), stderr);
    return code == 0 ? kDone : kBadUsage;
  }
  return exit_code_;
}

}  // namespace inquest::cli
