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
#include "cli/manual/pages.h"

namespace inquest::cli {

namespace {

constexpr const char* kReportsAreFiles =
    "nothing has to be started: `inquest report RUN -o page.html` writes a "
    "page that a browser opens from disk";

// "{text,json}" among what the library says of an option's value.
std::vector<std::string> ChoicesIn(const std::string& type) {
  const size_t open = type.find('{');
  const size_t close = type.find('}', open);
  if (open == type.npos || close == type.npos) return {};
  std::vector<std::string> words;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

// The kind of the value as help shows it.
std::string ValueOf(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  if (option.get_positional() && !option.nonpositional()) {
    return option.get_name(true);
  }
  const std::string type = option.get_type_name();
  const std::string name = type.substr(0, type.find(':'));
  if (name == "TEXT") return "WORD";
  return name == "INT" || name == "UINT" || name == "FLOAT" ? "NUMBER" : name;
}

OptionPage PageOf(const CLI::Option& option) {
  OptionPage page;
  for (const std::string& name : option.get_snames()) {
    page.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    page.names.push_back("--" + name);
  }
  page.value = ValueOf(option);
  page.choices = ChoicesIn(option.get_type_name());
  page.preset = option.get_default_str();
  page.help = option.get_description();
  page.required = option.get_required();
  page.repeated = option.get_items_expected_max() > 1;
  return page;
}

CommandPage PageOf(const CLI::App& app, std::vector<std::string> path) {
  CommandPage page;
  path.push_back(app.get_name());
  page.path = path;
  page.help = app.get_description();
  page.footer = app.get_footer();
  path.erase(path.begin());
  page.examples = ExamplesOf(Joined(path, " "));
  for (const CLI::Option* one : app.get_options()) {
    (one->nonpositional() ? page.options : page.positionals)
        .push_back(PageOf(*one));
  }
  for (const CLI::App* one : app.get_subcommands({})) {
    page.commands.push_back(PageOf(*one, page.path));
  }
  return page;
}

Status NoSuchOption(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* one : app.get_options()) {
    for (const std::string& known : one->get_lnames()) {
      names.push_back("--" + known);
    }
  }
  const std::string near =
      name.starts_with("--") ? DidYouMean(name, names) : "";
  const std::string command =
      app.get_parent() == nullptr ? "inquest" : "'" + app.get_name() + "'";
  return Usage(command + " has no option '" + name + "'")
      .WithHint(near.empty() ? "--help lists the options" : near);
}

// Examples go below a command's description.
void AddExamples(CLI::App* app, const std::string& path) {
  std::string footer = app->get_footer();
  bool any = false;
  for (const std::string& line : ExamplesOf(path)) {
    if (!any) footer += footer.empty() ? "Examples:" : "\n\nExamples:";
    any = true;
    footer += "\n  " + line;
  }
  app->footer(footer);
  for (CLI::App* one : app->get_subcommands({})) {
    AddExamples(one, path + (path.empty() ? "" : " ") + one->get_name());
  }
}

}  // namespace

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

// Everything that can stand in a word's place.
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

// For a misspelt command the library says only that a command is required.
Status Arguments::FindCommand(const std::vector<std::string>& words) const {
  const CLI::App* level = app_.get();
  for (const std::string& word : words) {
    const auto commands = level->get_subcommands({});
    if (commands.empty()) break;
    if (word.starts_with('-')) {
      const bool known =
          word.size() < 2 ||
          level->get_option_no_throw(word.substr(0, word.find('='))) != nullptr;
      if (!known) return NoSuchOption(*level, word);
      break;
    }
    std::vector<std::string> names;
    for (const CLI::App* one : commands) names.push_back(one->get_name());
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      const std::string path =
          level == app_.get() ? "" : " of '" + level->get_name() + "'";
      const std::string near =
          word == "open" ? kReportsAreFiles : DidYouMean(word, names);
      return Usage("there is no command '" + word + "'" + path)
          .WithHint(near.empty() ? "--help lists the commands" : near);
    }
    level = commands[static_cast<size_t>(found - names.begin())];
  }
  return Status::Ok();
}

CommandPage Arguments::Pages() const {
  return PageOf(*app_, {});
}

Status Arguments::Misspelt(const std::vector<std::string>& words) const {
  const CLI::App* level = app_.get();
  while (!level->get_subcommands().empty()) {
    level = level->get_subcommands().front();
  }
  for (const std::string& word : words) {
    if (word.starts_with('-') && word.size() > 1) {
      return NoSuchOption(*level, word);
    }
  }
  return Status::Ok();
}

int Arguments::Run(std::vector<std::string> words) {
  if (const Status known = FindCommand(words); !known.ok()) return Fail(known);
  try {
    std::reverse(words.begin(),
                 words.end());  // the order that the library needs
    app_->parse(words);
  } catch (const CLI::ExtrasError& error) {
    const Status why = Misspelt(app_->remaining(true));
    return Fail(why.ok() ? Usage(error.what()).WithHint("see --help") : why);
  } catch (const CLI::CallForHelp& error) {
    AddExamples(app_.get(), "");
    std::ostringstream out, err;
    app_->exit(error, out, err);
    Print(out.str());
    return kDone;
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
