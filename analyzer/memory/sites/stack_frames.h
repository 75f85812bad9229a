// SPDX-License-Identifier: Apache-2.0
// The frames of the call stacks of one process: those of Python if there are
// any, since a Python user knows those lines, else the native ones. For the
// site table (sites.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/facts/derive/recorded_frames.h"
#include "analyzer/facts/store/store.h"
#include "analyzer/memory/sites/symbolize.h"

namespace inquest::memory {

class StackFrames {
 public:
  StackFrames(facts::Store* store, int process)
      : store_(store),
        process_(process),
        prefix_(store->TracePrefix(process)),
        python_(store, process),
        symbolizer_(store, process) {}

  // Innermost first; empty if the stack is unknown.
  std::vector<Frame> Of(int64_t stack);
  // With those of libraries; a function of Python without its place.
  std::vector<Frame> All(int64_t stack);
  // What the innermost function of Python called, or a thread without Python:
  // native frames without those of the interpreter and of what recorded them.
  // Empty where native frames make the site.
  std::vector<Frame> BelowPython(int64_t stack);

 private:
  std::vector<Frame> PythonFrames(int64_t stack);
  std::vector<Frame> NativeFrames(int64_t stack);
  std::vector<Frame> NamedNativeFrames(int64_t stack);

  facts::Store* store_;
  int process_;
  std::string prefix_;
  facts::PythonFrames python_;
  Statement addresses_;  // of a stack; compiled at the first use
  Symbolizer symbolizer_;
};

}  // namespace inquest::memory
