// SPDX-License-Identifier: Apache-2.0
// What one line of a stack dump is, in the forms of py-spy (src/dump.rs),
// CPython's faulthandler (Python/traceback.c), pystack, gdb with its lists of
// threads and py-bt, lldb, pstack, eu-stack and pytest-timeout, with the
// headings that tools and people put above a process's stacks. Pure functions
// of a line without prefixes; the order of lines is the business of
// stack_reader.h. Linear time; texts are views of the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/hangs/stacks/stack_model.h"

namespace inquest::hangs {

// A line that begins the stacks of another process, or names the one to come.
struct ProcessLine {
  std::string_view label, title;
  std::optional<int64_t> rank, pid;
  Tool tool = Tool::kUnknown;
  bool same_if_new = false;  // only names a process without threads so far
};

struct ThreadLine {
  Tool tool = Tool::kUnknown;
  std::string_view name;
  std::optional<int64_t> id;      // of the operating system or the dump
  std::optional<int64_t> number;  // gdb's
  bool current = false;
  bool outermost_first = false;
  bool as_traceback = false;  // its frames have a comma before "in"
  std::string_view frame;     // in a list of threads: where it stands
};

struct FrameLine {
  Tool tool = Tool::kUnknown;
  std::string_view function, file, arguments;
  int64_t line = 0;
  bool innermost = false;  // gdb's #0
};

std::optional<ProcessLine> ReadProcessLine(std::string_view text);
std::optional<ThreadLine> ReadThreadLine(std::string_view text);
// `text` with its indentation, which frames have unless they stand `in_thread`,
// below the heading of one: who copies a dump may lose it. A frame of a
// traceback, which has a comma before "in", is one only in a dump that writes
// its frames so.
struct FrameForm {
  bool in_thread = false;
  bool as_traceback = false;
};
std::optional<FrameLine> ReadFrameLine(std::string_view text,
                                       const FrameForm& form = {});

// "TP6", "PP0_TP3", "sglang::scheduler_TP6", "rank3": the rank in the job, if
// nothing but tensor parallelism or a rank is counted.
std::optional<int64_t> RankIn(std::string_view label);

// A number at the beginning; what follows it is dropped.
std::optional<int64_t> NumberAt(std::string_view text);

}  // namespace inquest::hangs
