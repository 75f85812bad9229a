// SPDX-License-Identifier: Apache-2.0
// Man pages, in the macros of man(7).
#include "base/text.h"
#include "cli/manual/pages.h"

namespace inquest::cli {
namespace {

// A dot or quote at the beginning of a line is a request, a backslash an
// escape, and a minus a hyphen.
std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins = escaped.empty() || escaped.back() == '\n';
    if (begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Heading(const char* name) {
  return std::string(".SH ") + name + "\n";
}

// \fB-o\fR, \fB--output\fR \fIFILE\fR
std::string Heads(const OptionPage& option) {
  std::string heads;
  for (const std::string& name : option.names) {
    heads.append(heads.empty() ? "" : ", ")
        .append("\\fB")
        .append(Roff(name))
        .append("\\fR");
  }
  if (!option.value.empty()) {
    heads.append(heads.empty() ? "" : " ")
        .append("\\fI")
        .append(Roff(option.value))
        .append("\\fR");
  }
  return heads;
}

std::string Described(const OptionPage& option) {
  std::string text = option.help;
  if (!option.choices.empty()) {
    text += text.empty() ? "One of " : "; one of ";
    for (const std::string& one : option.choices) {
      text.append(&one == &option.choices.front() ? "" : ", ").append(one);
    }
  }
  if (!option.preset.empty()) text += " (default: " + option.preset + ")";
  if (option.repeated && !option.names.empty()) text += "; may be repeated";
  if (!text.empty()) text += ".";
  return ".TP\n" + Heads(option) + "\n" + Roff(text) + "\n";
}

std::string Synopsis(const CommandPage& command) {
  std::string line = "\\fB" + Roff(Joined(command.path, " ")) + "\\fR";
  if (!command.options.empty()) line += " [\\fIoptions\\fR]";
  for (const OptionPage& one : command.positionals) {
    const std::string name =
        "\\fI" + Roff(one.value) + "\\fR" + (one.repeated ? "..." : "");
    line += one.required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) line += " \\fIcommand\\fR";
  return Heading("SYNOPSIS") + line + "\n";
}

std::string Commands(const CommandPage& command) {
  if (command.commands.empty()) return {};
  std::string text = Heading("COMMANDS");
  for (const CommandPage& one : command.commands) {
    text += ".TP\n.BR " + Roff(Joined(one.path, "-")) + " (1)\n" +
            Roff(one.help) + ".\n";
  }
  return text;
}

std::string Environment() {
  std::string text = Heading("ENVIRONMENT");
  for (const EnvironmentVariable& one : EnvironmentVariables()) {
    text +=
        std::string(".TP\n.B ") + one.name + "\n" + Roff(one.meaning) + "\n";
  }
  return text;
}

// Paragraphs as they were written, so that lists stay lists.
std::string AsItStands(const std::string& text) {
  return ".nf\n" + Roff(text) + "\n.fi\n";
}

std::string Examples(const CommandPage& command) {
  if (command.examples.empty()) return {};
  std::string text = Heading("EXAMPLES") + ".nf\n";
  for (const std::string& line : command.examples) text += Roff(line) + "\n";
  return text + ".fi\n";
}

constexpr char kExitCodes[] =
    ".TP\n0\nDone; findings are data.\n"
    ".TP\n1\nThe answer is no: \\fB\\-\\-fail\\-on\\fR, \\fBdoctor\\fR, lint, "
    "failed rule tests.\n"
    ".TP\n2\nWrong usage, or input that cannot be read.\n"
    ".TP\n3\nA rule file with mistakes.\n"
    ".TP\n4\nA limit was hit; what was written is not complete.\n"
    ".TP\n5\nA fault of this program.\n"
    ".PP\n\\fBinquest record\\fR ends as its command ended.\n";

}  // namespace

std::string ManPage(const CommandPage& command, const std::string& version) {
  const std::string name = Joined(command.path, "-");
  std::string page = ".TH \"" + Roff(name) + "\" 1 \"\" \"inquest " + version +
                     "\" \"inquest\"\n" + Heading("NAME") + Roff(name) +
                     " \\- " + Roff(command.help) + "\n" + Synopsis(command);
  if (!command.footer.empty()) {
    page += Heading("DESCRIPTION") + AsItStands(command.footer);
  }
  page += Commands(command);
  if (!command.positionals.empty() || !command.options.empty()) {
    page += Heading("OPTIONS");
    for (const OptionPage& one : command.positionals) page += Described(one);
    for (const OptionPage& one : command.options) page += Described(one);
  }
  page += Examples(command);
  if (command.path.size() == 1) page += Environment();
  page += Heading("EXIT STATUS") + kExitCodes;
  if (command.path.size() > 1) {
    auto above = command.path;
    above.pop_back();
    page += Heading("SEE ALSO") + ".BR " + Roff(Joined(above, "-")) + " (1)\n";
  }
  return page;
}

}  // namespace inquest::cli
