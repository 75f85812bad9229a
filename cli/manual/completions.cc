// SPDX-License-Identifier: Apache-2.0
// Completions for bash, zsh and fish: commands, their options, the words that
// an option allows; files elsewhere.
#include <fmt/format.h>

#include <functional>

#include "base/shell_words.h"
#include "cli/manual/pages.h"

namespace inquest::cli {
namespace {

void ForEachCommand(const CommandPage& command,
                    const std::function<void(const CommandPage&)>& use) {
  use(command);
  for (const CommandPage& one : command.commands) ForEachCommand(one, use);
}

std::string Words(const std::vector<std::string>& words) {
  return Joined(words, " ");
}

// The words that may stand behind the command: its commands and options.
std::string WordsOf(const CommandPage& command) {
  std::string words;
  for (const CommandPage& one : command.commands) {
    words += one.path.back() + " ";
  }
  for (const OptionPage& one : command.options) words += Words(one.names) + " ";
  return words;
}

}  // namespace

std::string Joined(const std::vector<std::string>& path, const char* between) {
  std::string all;
  for (const std::string& word : path) {
    all.append(&word == &path.front() ? "" : between).append(word);
  }
  return all;
}

std::string BashCompletion(const CommandPage& program) {
  std::string words, values;
  ForEachCommand(program, [&](const CommandPage& command) {
    const std::string path = Words(command.path);
    words += fmt::format("    {}) words={} ;;\n", ShellQuoted(path),
                         ShellQuoted(WordsOf(command)));
    for (const OptionPage& one : command.options) {
      if (one.value.empty()) continue;
      for (const std::string& name : one.names) {
        values += fmt::format("    {}) words={}; files={} ;;\n",
                              ShellQuoted(path + " " + name),
                              ShellQuoted(Words(one.choices)),
                              one.choices.empty() ? "yes" : "no");
      }
    }
  });
  return "# bash completion of inquest, made by `inquest manual`.\n"
         "_inquest() {\n"
         "  local word='' path=inquest words='' files=yes i\n"
         "  local current=${COMP_WORDS[COMP_CWORD]}\n"
         "  local before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  COMPREPLY=()\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    [ \"$word\" = -- ] && { compopt -o default; return; }\n"
         "    _inquest_is_command \"$path $word\" && path=\"$path $word\"\n"
         "  done\n"
         "  _inquest_words \"$path $before\" value || {\n"
         "    files=yes; _inquest_words \"$path\" command; }\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "  [ \"$files\" = no ] || [[ $current == -* ]] || compopt -o default\n"
         "}\n"
         "_inquest_is_command() {\n"
         "  local words files\n"
         "  _inquest_words \"$1\" command\n"
         "}\n"
         "_inquest_words() {\n"
         "  if [ \"$2\" = value ]; then\n"
         "    case $1 in\n" +
         values +
         "    *) return 1 ;;\n"
         "    esac\n"
         "  else\n"
         "    case $1 in\n" +
         words +
         "    *) return 1 ;;\n"
         "    esac\n"
         "  fi\n"
         "}\n"
         "complete -F _inquest inquest\n";
}

namespace {

// In _arguments' specifications a colon and brackets are syntax.
std::string ZshText(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ZshValue(const OptionPage& option) {
  if (option.value.empty()) return {};
  return ":" + ZshText(option.value) + ":" +
         (option.choices.empty() ? "_files"
                                 : "(" + Words(option.choices) + ")");
}

// "=": a value may also be joined to a long name by that sign.
std::string ZshSpec(const OptionPage& option, const std::string& name) {
  const bool joins = !option.value.empty() && name.starts_with("--");
  return ShellQuoted((option.repeated ? "*" : "") + name + (joins ? "=" : "") +
                     "[" + ZshText(option.help) + "]" + ZshValue(option));
}

std::string ZshSpecs(const CommandPage& command) {
  std::string specs;
  for (const OptionPage& one : command.options) {
    for (const std::string& name : one.names) {
      specs += " \\\n    " + ZshSpec(one, name);
    }
  }
  return specs;
}

std::string ZshName(const CommandPage& command) {
  return "_" + Joined(command.path, "_");
}

std::string ZshFunction(const CommandPage& command) {
  std::string text = ZshName(command) + "() {\n";
  if (command.commands.empty()) {
    return text + "  _arguments" + ZshSpecs(command) +
           " \\\n    '*:file:_files'\n}\n";
  }
  text += "  local state line\n  _arguments -C" + ZshSpecs(command) +
          " \\\n    '1: :->command' \\\n    '*:: :->rest'\n"
          "  case $state in\n  command)\n    local -a commands=(\n";
  for (const CommandPage& one : command.commands) {
    text += "      " + ShellQuoted(one.path.back() + ":" + ZshText(one.help)) +
            "\n";
  }
  text +=
      "    )\n    _describe command commands ;;\n  rest)\n"
      "    case $line[1] in\n";
  for (const CommandPage& one : command.commands) {
    text += "    " + one.path.back() + ") " + ZshName(one) + " ;;\n";
  }
  return text + "    esac ;;\n  esac\n}\n";
}

}  // namespace

std::string ZshCompletion(const CommandPage& program) {
  std::string text =
      "#compdef inquest\n# zsh completion of inquest, made by `inquest "
      "manual`.\n";
  ForEachCommand(program, [&](const CommandPage& command) {
    text += ZshFunction(command);
  });
  return text + "_inquest \"$@\"\n";
}

namespace {

// The condition under which a command's words are offered.
std::string FishCondition(const CommandPage& command) {
  if (command.path.size() == 1) return "__fish_use_subcommand";
  std::string condition;
  for (size_t i = 1; i < command.path.size(); ++i) {
    condition.append(i == 1 ? "" : "; and ")
        .append("__fish_seen_subcommand_from ")
        .append(command.path[i]);
  }
  // A command's own commands end its turn.
  for (const CommandPage& one : command.commands) {
    condition += "; and not __fish_seen_subcommand_from " + one.path.back();
  }
  return condition;
}

std::string FishOption(const CommandPage& command, const OptionPage& option) {
  std::string line =
      "complete -c inquest -n " + ShellQuoted(FishCondition(command));
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2)
                                   : " -s " + name.substr(1);
  }
  if (!option.value.empty()) {
    line += option.choices.empty()
                ? " -r -F"
                : " -x -a " + ShellQuoted(Words(option.choices));
  }
  return line + " -d " + ShellQuoted(option.help) + "\n";
}

}  // namespace

std::string FishCompletion(const CommandPage& program) {
  std::string text =
      "# fish completion of inquest, made by `inquest manual`.\n";
  ForEachCommand(program, [&](const CommandPage& command) {
    for (const CommandPage& one : command.commands) {
      text += "complete -c inquest -f -n " +
              ShellQuoted(FishCondition(command)) + " -a " + one.path.back() +
              " -d " + ShellQuoted(one.help) + "\n";
    }
    for (const OptionPage& one : command.options) {
      text += FishOption(command, one);
    }
  });
  return text;
}

}  // namespace inquest::cli
