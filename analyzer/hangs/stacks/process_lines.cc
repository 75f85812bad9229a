// SPDX-License-Identifier: Apache-2.0
// Headings above the stacks of a process and of a thread; see stack_lines.h.
#include <re2/re2.h>

#include <charconv>
#include <string>

#include "analyzer/hangs/stacks/stack_lines.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

using Piece = re2::StringPiece;

Piece PieceOf(std::string_view text) {
  return {text.data(), text.size()};
}

std::string_view ViewOf(const Piece& piece) {
  return {piece.data(), piece.size()};
}

std::optional<int64_t> HexAt(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc()) return {};
  return static_cast<int64_t>(value);
}

std::optional<ProcessLine> PySpyProcess(std::string_view text) {
  static const auto* timed_out = new RE2(
      R"(^Process (\d{1,9}) (?:timed out|exited|hung).{0,40}traceback:)");
  static const auto* header = new RE2(R"(^Process (\d{1,9}): ?(.*))");
  static const auto* wrapped = new RE2(R"(\bPyspy dump for PID (\d{1,9})\b)");
  Piece number, title;
  if (RE2::PartialMatch(PieceOf(text), *timed_out, &number)) {
    ProcessLine line;
    line.rank = NumberAt(ViewOf(number));
    return line;
  }
  if (RE2::PartialMatch(PieceOf(text), *wrapped, &number)) {
    ProcessLine line{.pid = NumberAt(ViewOf(number)), .tool = Tool::kPySpy};
    return line;
  }
  if (!RE2::PartialMatch(PieceOf(text), *header, &number, &title)) return {};
  ProcessLine line{.title = Trim(ViewOf(title)),
                   .pid = NumberAt(ViewOf(number)),
                   .tool = Tool::kPySpy,
                   .same_if_new = true};
  line.rank = RankIn(line.title);
  return line;
}

std::optional<ProcessLine> RayProcess(std::string_view text) {
  constexpr std::string_view kHead = "Stack dump for ";
  if (!text.starts_with(kHead)) return {};
  static const auto* ps =
      new RE2(R"(^\S+\s+(\d{1,9})\s.*?\d+:\d\d\s+(?:\d+:\d\d\s+)?(.*))");
  Piece number, title;
  ProcessLine line{.tool = Tool::kPySpy};
  if (RE2::PartialMatch(PieceOf(text.substr(kHead.size())), *ps, &number,
                        &title)) {
    line.pid = NumberAt(ViewOf(number));
    line.title = ViewOf(title);
  }
  return line;
}

// Headings of tail, PyTorch's debug server, and those made by hand.
std::optional<ProcessLine> Heading(std::string_view text) {
  static const auto* rank =
      new RE2(R"((?i)^[=\-#*\[(\s]*rank[ _:=#-]*(\d{1,7})[=\-#*\])\s:]*$)");
  static const auto* pid = new RE2(
      R"((?i)^[-=#*]{2,}\s*pid[ :=]*(\d{1,9})\b\s*\(?([^)]*?)\)?\s*[-=#*]*$)");
  static const auto* name = new RE2(
      R"(^(?:==>|#{3,}|={3,}|-{3,}|\*{3,}) *([^\s=#*-][^=#*]{0,120}?) *(?:<==|#{3,}|={3,}|-{3,}|\*{3,})$)");
  Piece number, label;
  if (RE2::FullMatch(PieceOf(text), *rank, &number)) {
    ProcessLine line;
    line.rank = NumberAt(ViewOf(number));
    return line;
  }
  if (RE2::FullMatch(PieceOf(text), *pid, &number, &label)) {
    return ProcessLine{.label = ViewOf(label), .pid = NumberAt(ViewOf(number))};
  }
  if (!RE2::FullMatch(PieceOf(text), *name, &label)) return {};
  ProcessLine line{.label = ViewOf(label)};
  line.rank = RankIn(line.label);
  return line;
}

std::optional<ProcessLine> GdbProcess(std::string_view text) {
  if (text.starts_with("(gdb) ")) text.remove_prefix(6);
  static const auto* command = new RE2(
      R"(^(?:thread apply all (?:bt|backtrace|py-bt)|bt|backtrace)\b.{0,20}$)");
  static const auto* attach = new RE2(
      R"(^(?:Attaching to (?:program: .*, )?process|PID) (\d{1,9})\b(?: - process)?)");
  Piece number;
  if (RE2::FullMatch(PieceOf(text), *command)) {
    return ProcessLine{.tool = Tool::kGdb, .same_if_new = true};
  }
  if (!RE2::PartialMatch(PieceOf(text), *attach, &number)) return {};
  return ProcessLine{.pid = NumberAt(ViewOf(number)), .tool = Tool::kGdb};
}

std::optional<ThreadLine> PythonThread(std::string_view text) {
  static const auto* pyspy = new RE2(
      R"re(^Thread (?:(\d+|0x[0-9A-Fa-f]+) )?\((?:idle|active)[^)]*\)(?:: "(.*)")?$)re");
  static const auto* handler = new RE2(
      R"(^(Current thread|Thread) (0x[0-9a-f]+)(?: \[(.*)\])? \(most recent call first\):)");
  static const auto* pytest = new RE2(R"(^~+ Stack of (.+?) \((\d+)\) ~+$)");
  static const auto* pystack = new RE2(
      R"(^Traceback for thread (\d+)\b.{0,80}\(most recent call last\):$)");
  Piece id, name, which;
  if (RE2::FullMatch(PieceOf(text), *pyspy, &id, &name)) {
    const std::string_view number = ViewOf(id);
    return ThreadLine{
        .tool = Tool::kPySpy,
        .name = ViewOf(name),
        .id = number.starts_with("0x") ? HexAt(number) : NumberAt(number)};
  }
  if (RE2::PartialMatch(PieceOf(text), *handler, &which, &id, &name)) {
    return ThreadLine{.tool = Tool::kFaulthandler,
                      .name = ViewOf(name),
                      .id = HexAt(ViewOf(id)),
                      .current = ViewOf(which).starts_with("Current")};
  }
  if (text == "Stack (most recent call first):") {
    return ThreadLine{.tool = Tool::kFaulthandler, .current = true};
  }
  if (!RE2::FullMatch(PieceOf(text), *pystack, &id) &&
      !RE2::FullMatch(PieceOf(text), *pytest, &name, &id)) {
    return {};
  }
  return ThreadLine{.tool = Tool::kFaulthandler,
                    .name = ViewOf(name),
                    .id = NumberAt(ViewOf(id)),
                    .outermost_first = true,
                    .as_traceback = true};
}

// "* 1    Thread 0x… (LWP 4711) "python"  FRAME" of gdb's info threads, and
// "* thread #1, name = 'python', …" of lldb. Both count upwards, so only the
// first thread has a number.
std::optional<ThreadLine> ListedThread(std::string_view text) {
  static const auto* gdb = new RE2(
      R"re(^(?:\* )?(\d{1,6}) +Thread 0x[0-9a-f]+ \(LWP (\d+)\)(?: "(.*?)")? +(\S.*)$)re");
  static const auto* lldb = new RE2(
      R"(^(?:\* )?thread #(\d{1,6})(?:: tid = (\d+))?(?:, name = '([^']*)')?)");
  Piece number, id, name, frame;
  const bool listed =
      RE2::FullMatch(PieceOf(text), *gdb, &number, &id, &name, &frame);
  if (!listed &&
      !RE2::PartialMatch(PieceOf(text), *lldb, &number, &id, &name)) {
    return {};
  }
  ThreadLine line{.tool = Tool::kGdb,
                  .name = ViewOf(name),
                  .id = NumberAt(ViewOf(id)),
                  .number = NumberAt(ViewOf(number)),
                  .frame = ViewOf(frame)};
  if (line.number != 1) line.number.reset();
  return line;
}

std::optional<ThreadLine> NativeThread(std::string_view text) {
  static const auto* gdb = new RE2(
      R"re(^Thread (\d{1,6}) \((?:Thread 0x[0-9a-f]+ )?\(?(?:LWP|process) (\d+)\)?(?: "(.*)")?\):?)re");
  static const auto* pstack = new RE2(R"(^TID (\d{1,9}):$)");
  Piece number, id, name;
  if (RE2::PartialMatch(PieceOf(text), *gdb, &number, &id, &name)) {
    return ThreadLine{.tool = Tool::kGdb,
                      .name = ViewOf(name),
                      .id = NumberAt(ViewOf(id)),
                      .number = NumberAt(ViewOf(number))};
  }
  if (!RE2::FullMatch(PieceOf(text), *pstack, &id)) return {};
  return ThreadLine{.tool = Tool::kGdb, .id = NumberAt(ViewOf(id))};
}

}  // namespace

std::optional<int64_t> NumberAt(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return {};
  return value;
}

std::optional<int64_t> RankIn(std::string_view label) {
  static const auto* rank =
      new RE2(R"((?i)(?:^|[^a-z])rank[ _=.:-]*(\d{1,7}))");
  static const auto* parts =
      new RE2(R"((?:^|[^A-Za-z0-9])((?:[A-Z]{2,3}\d+[_ ]?)+)$)");
  static const auto* other = new RE2(R"((?:DP|PP|DCP|PCP)0*[1-9])");
  static const auto* tensor = new RE2(R"(TP(\d{1,6}))");
  Piece found;
  if (RE2::PartialMatch(PieceOf(label), *rank, &found)) {
    return NumberAt(ViewOf(found));
  }
  if (!RE2::PartialMatch(PieceOf(label), *parts, &found)) return {};
  Piece number;
  if (RE2::PartialMatch(found, *other) ||
      !RE2::PartialMatch(found, *tensor, &number)) {
    return {};
  }
  return NumberAt(ViewOf(number));
}

std::optional<ProcessLine> ReadProcessLine(std::string_view text) {
  text = Trim(text);
  if (text.size() < 5) return {};
  if (text.find("ump for PID ") != text.npos || text.starts_with("Process ")) {
    if (auto line = PySpyProcess(text)) return line;
  }
  if (auto line = RayProcess(text)) return line;
  const char c = text.front();
  if (c == '(' || c == 't' || c == 'b' || c == 'A' || c == 'P') {
    if (auto line = GdbProcess(text)) return line;
  }
  const bool marked = std::string_view("=-#*[(rR").find(c) != std::string::npos;
  return marked ? Heading(text) : std::nullopt;
}

std::optional<ThreadLine> ReadThreadLine(std::string_view text) {
  text = Trim(text);
  if (text.find("Thread 0x") != text.npos || text.find("thread #") < 3) {
    if (auto line = ListedThread(text)) return line;
  }
  const bool maybe = text.starts_with("Thread ") || text.starts_with("TID ") ||
                     text.starts_with("Current thread ") ||
                     text.starts_with("Traceback for ") ||
                     text.starts_with("Stack (") || text.starts_with("~~");
  if (!maybe) return {};
  if (auto line = PythonThread(text)) return line;
  return NativeThread(text);
}

}  // namespace inquest::hangs
