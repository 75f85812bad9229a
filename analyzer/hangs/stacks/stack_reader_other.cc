// SPDX-License-Identifier: Apache-2.0
// Lines between the stacks: why a dump was made, that it failed, that the
// program went on, and where gdb puts a library on a line of its own; see
// stack_reader.h.
#include <re2/re2.h>

#include "analyzer/hangs/stacks/places.h"
#include "analyzer/hangs/stacks/stack_reader.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

bool IsTimeout(std::string_view text) {
  static const auto* timeout =
      new RE2(R"(^Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!)");
  static const auto* pytest = new RE2(R"(^\+{5,} Timeout \+{5,}$)");
  const re2::StringPiece piece(text.data(), text.size());
  return RE2::PartialMatch(piece, *timeout) ||
         RE2::PartialMatch(piece, *pytest);
}

bool IsFailure(std::string_view text) {
  static const auto* failure = new RE2(
      R"(^(?:error: Found argument|Error: Failed to (?:copy|find|get|suspend)|Pyspy failed to dump|Failed to (?:find python interpreter|dump process)|ptrace: Operation not permitted))");
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                           *failure);
}

bool IsSuccess(std::string_view text) {
  static const auto* passed = new RE2(
      R"(^=* ?\d+ passed\b(?:, \d+ (?:skipped|warnings?|deselected))* in [\d.]+ ?s)");
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *passed);
}

}  // namespace

void StackReader::Other(Open* open, const ingest::LogLine& line) {
  const std::string_view text = Trim(line.text);
  if (text.empty()) {
    // Between a heading and its first thread there is a blank line.
    if (!open->process.threads.empty()) open->in_thread = false;
    return;
  }
  constexpr std::string_view kFatal = "Fatal Python error: ";
  if (IsTimeout(text) || text.starts_with(kFatal)) {
    Renew(open, line);
    open->process.tool = Tool::kFaulthandler;
    open->process.timed_out = !text.starts_with(kFatal);
    if (!open->process.timed_out) {
      open->process.fatal = text.substr(kFatal.size(), 80);
    }
    return;
  }
  if (IsFailure(text)) {
    if (open->process.line == 0) Renew(open, line);
    open->process.failed = open->process.threads.empty();
    return;
  }
  if (IsSuccess(text)) {
    open->process.went_on = true;
    for (StackProcess& process : dumps_->processes) {
      if (process.source == source_) process.went_on = true;
    }
    return;
  }
  if (text == "Traceback (most recent call first):") {  // gdb's py-bt
    if (!open->in_thread) {
      BeginThread(open, line, {.tool = Tool::kGdb, .number = 1});
    }
    open->as_traceback = true;
    return;
  }
  if (!open->in_thread) return;
  if (open->last_file >= 0 && text.starts_with("from ")) {
    StackThread& thread = open->process.threads.back();
    const auto at = static_cast<size_t>(open->last_file);
    const Site site = dumps_->sites[thread.frames[at]];
    thread.frames[at] = dumps_->sites.Add(
        site.function, std::string(Trim(text.substr(5)).substr(0, 512)), 0);
    open->last_file = -1;
    return;
  }
  const bool indented = line.text.front() == ' ' || line.text.front() == '\t';
  if (text.starts_with("File \"") &&
      open->process.tool == Tool::kFaulthandler) {
    ++dumps_->malformed;  // lines of several processes, mixed
  }
  // Locals, arguments, "...", quoted source: part of the thread.
  if (!indented && text != "...") open->in_thread = false;
}

}  // namespace inquest::hangs
