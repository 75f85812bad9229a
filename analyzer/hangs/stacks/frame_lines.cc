// SPDX-License-Identifier: Apache-2.0
// Frames of stacks; see stack_lines.h.
#include <algorithm>

#include "analyzer/hangs/stacks/stack_lines.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

constexpr size_t kLongestName = 512;

std::string_view Short(std::string_view text) {
  return text.substr(0, kLongestName);
}

//   File "PATH", line N in FUNCTION
std::optional<FrameLine> HandlerFrame(std::string_view text,
                                      bool as_traceback) {
  constexpr std::string_view kHead = "File \"";
  constexpr std::string_view kLine = "\", line ";
  constexpr std::string_view kIn = " in ";
  if (!text.starts_with(kHead)) return {};
  const size_t end = text.rfind(kLine);
  if (end == text.npos || end < kHead.size()) return {};
  FrameLine frame{.tool = Tool::kFaulthandler};
  frame.file = Short(text.substr(kHead.size(), end - kHead.size()));
  std::string_view rest = text.substr(end + kLine.size());
  const size_t in = rest.find(kIn);
  if (in == rest.npos || in == 0) return {};
  if ((rest[in - 1] == ',') != as_traceback) return {};
  const std::string_view number = rest.substr(0, as_traceback ? in - 1 : in);
  if (number != "???" && !NumberAt(number)) return {};
  frame.line = NumberAt(number).value_or(0);
  frame.function = Short(Trim(rest.substr(in + kIn.size())));
  if (frame.function.empty()) return {};
  return frame;
}

bool IsLibrary(std::string_view file) {
  return file.find(".so") != file.npos || file.ends_with(".dylib") ||
         file.starts_with("python") || file.starts_with("libpython");
}

//     FUNCTION (FILE[:LINE]): the file is the last parenthesised group.
std::optional<FrameLine> PySpyFrame(std::string_view text) {
  if (!text.ends_with(')')) return {};
  const size_t open = text.rfind('(');
  if (open == text.npos || open < 2 || text[open - 1] != ' ') return {};
  std::string_view file = text.substr(open + 1, text.size() - open - 2);
  FrameLine frame{.tool = Tool::kPySpy};
  const size_t colon = file.rfind(':');
  if (colon != file.npos) {
    const auto number = NumberAt(file.substr(colon + 1));
    if (!number) return {};
    frame.line = *number;
    file = file.substr(0, colon);
  }
  const bool python =
      file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with('<');
  if (file.empty() || (!python && !IsLibrary(file) && frame.line == 0)) {
    return {};
  }
  if (file.find(' ') != file.npos) return {};
  frame.file = Short(file);
  frame.function = Short(text.substr(0, open - 1));
  return frame;
}

// The name without arguments, template parameters, versions and clones.
std::string_view Symbol(std::string_view text) {
  if (text.starts_with("(anonymous")) return Short(text);
  size_t end = text.find_first_of("(<@[");
  constexpr std::string_view kOperator = "operator";
  if (end != text.npos && end >= kOperator.size() &&
      text.substr(end - kOperator.size(), kOperator.size()) == kOperator) {
    end = text.find(' ', end);
  }
  // Foo<T>::Bar(): what follows the parameters belongs to the name, but the
  // class is enough to tell where it stands.
  return Short(Trim(text.substr(0, end)));
}

void ReadPlace(std::string_view rest, FrameLine* frame) {
  const size_t at = rest.rfind(" at ");
  const size_t from = rest.rfind(" from ");
  if (at != rest.npos && (from == rest.npos || at > from)) {
    std::string_view file = Trim(rest.substr(at + 4));
    const size_t colon = file.rfind(':');
    if (colon != file.npos) {
      frame->line = NumberAt(file.substr(colon + 1)).value_or(0);
      file = file.substr(0, colon);
    }
    frame->file = Short(file);
  } else if (from != rest.npos) {
    frame->file = Short(Trim(rest.substr(from + 6)));
  }
}

// (Python) File "PATH", line N, in FUNCTION
// (C) File "SOURCE|???", line N, in SYMBOL(ARGS) (LIBRARY)
std::optional<FrameLine> PyStackFrame(std::string_view text) {
  constexpr std::string_view kPython = "(Python) ";
  constexpr std::string_view kNative = "(C) ";
  const bool native = text.starts_with(kNative);
  if (!native && !text.starts_with(kPython)) return {};
  text.remove_prefix(native ? kNative.size() : kPython.size());
  auto frame = HandlerFrame(text, true);
  if (!frame || !native) return frame;
  const size_t library = frame->function.rfind(" (");
  if (frame->file == "???" && library != text.npos) {
    frame->file = Trim(frame->function.substr(library), " ()");
  }
  frame->function = Symbol(frame->function);
  return frame;
}

// frame #N: 0xHEX LIBRARY`SYMBOL(ARGS) [at FILE:LINE | + N]
std::optional<FrameLine> LldbFrame(std::string_view text) {
  if (text.starts_with("* ")) text.remove_prefix(2);
  constexpr std::string_view kHead = "frame #";
  const size_t address = text.find(": 0x");
  const size_t quote = text.find('`');
  if (!text.starts_with(kHead) || address == text.npos || quote == text.npos ||
      quote < address) {
    return {};
  }
  FrameLine frame{.tool = Tool::kGdb};
  const size_t library = text.rfind(' ', quote);
  frame.file = Short(text.substr(library + 1, quote - library - 1));
  frame.function = Symbol(text.substr(quote + 1));
  frame.function = frame.function.substr(0, frame.function.find(" + "));
  frame.innermost = text.starts_with("frame #0:");
  return frame.function.empty() ? std::nullopt : std::optional(frame);
}

// What stands behind the address: "in SYMBOL …" of gdb, two blanks of pstack,
// "[- 1 ]SYMBOL" of eu-stack. Empty if it is nothing of these.
std::string_view BehindAddress(std::string_view text) {
  const size_t in = text.find(" in ");
  if (in != text.npos) return text.substr(in + 4);
  const size_t blank = text.find(' ');
  if (blank == text.npos) return {};
  text = Trim(text.substr(blank));
  if (text.starts_with("- 1 ")) text = Trim(text.substr(4));
  const bool name = !text.empty() && (IsAlpha(text[0]) || text[0] == '_');
  return name ? text : std::string_view();
}

// #N  [0xHEX in ]SYMBOL (ARGS) [at FILE:LINE | from LIB]
std::optional<FrameLine> GdbFrame(std::string_view text) {
  if (!text.starts_with('#') || text.size() < 4 || !IsDigit(text[1])) return {};
  size_t at = 1;
  while (at < text.size() && IsDigit(text[at])) ++at;
  FrameLine frame{.tool = Tool::kGdb};
  frame.innermost = text.substr(1, at - 1) == "0";
  if (at >= text.size() || text[at] != ' ') return {};
  std::string_view rest = Trim(text.substr(at));
  const bool addressed = rest.starts_with("0x");
  if (addressed) rest = BehindAddress(rest);
  if (rest.empty()) return {};
  // py-bt: "Frame 0x…, for file F, line N, in FUNCTION (…)"
  if (rest.starts_with("Frame 0x")) {
    const size_t file = rest.find("for file ");
    const size_t line = rest.find(", line ");
    const size_t in = rest.find(", in ");
    if (file == rest.npos || line == rest.npos || in == rest.npos ||
        line < file + 9 || in < line) {
      return {};
    }
    frame.file = Short(rest.substr(file + 9, line - file - 9));
    frame.line = NumberAt(rest.substr(line + 7)).value_or(0);
    rest = rest.substr(in + 5);
    frame.function = Short(rest.substr(0, rest.find(' ')));
    return frame;
  }
  const size_t arguments = rest.find(" (");
  if (!addressed && arguments == rest.npos) return {};
  frame.function = Symbol(rest);
  if (arguments != rest.npos) frame.arguments = rest.substr(arguments);
  ReadPlace(rest, &frame);
  return frame.function.empty() ? std::nullopt : std::optional(frame);
}

}  // namespace

std::optional<FrameLine> ReadFrameLine(std::string_view text,
                                       const FrameForm& form) {
  const size_t blanks = text.find_first_not_of(" \t");
  if (blanks == text.npos) return {};
  const std::string_view words = Trim(text.substr(blanks));
  if (words.front() == '#') return GdbFrame(words);
  if (blanks == 0 && !form.in_thread) return {};
  if (auto frame = HandlerFrame(words, form.as_traceback)) return frame;
  if (auto frame = PyStackFrame(words)) return frame;
  if (auto frame = LldbFrame(words)) return frame;
  if (words.starts_with("File \"")) return {};
  return PySpyFrame(words);
}

}  // namespace inquest::hangs
