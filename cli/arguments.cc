// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/suggest.h"
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

// The library says of a misspelt command only that one is required.
Status Arguments::FindCommand(const std::vector<std::string>& words) const {
  const CLI::App* level = app_.get();
  for (const std::string& word : words) {
    const auto commands = level->get_subcommands({});
    if (commands.empty() || word.starts_with('-')) break;
    std::vector<std::string> names;
    for (const CLI::App* one : commands) names.push_back(one->get_name());
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      const std::string path =
          level == app_.get() ? "" : " of '" + level->get_name() + "'";
      const std::string near = DidYouMean(word, names);
      return Usage("there is no command '" + word + "'" + path)
          .WithHint(near.empty() ? "--help lists the commands" : near);
    }
    level = commands[static_cast<size_t>(found - names.begin())];
  }
  return Status::Ok();
}

int Arguments::Run(std::vector<std::string> words) {
  if (const Status known = FindCommand(words); !known.ok()) return Fail(known);
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
