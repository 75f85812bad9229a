// SPDX-License-Identifier: Apache-2.0
// The verdict that `inquest record` ends with. It is found in a child process
// with limits of its own, because whatever the run left behind (a flood of
// errors, a pipe that is called a trace) and whatever limits the user has set
// (ulimit -s) must neither delay nor change the end of the recorded command.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace inquest::cli {

struct VerdictLimits {
  std::chrono::milliseconds deadline{5000};
  size_t stack = 8 << 20;           // bytes, of each thread
  size_t memory = size_t{2} << 30;  // bytes
};

struct VerdictLine {
  std::string text;     // "GPU 0 ran out of memory …"; empty: none was found
  std::string why_not;  // "the diagnosis took longer than 5 s"; may be empty
};

// The verdict of a run directory. A signal that asks us to end, such as a
// second Ctrl-C, ends the wait. Called when the command has ended, on the only
// thread.
VerdictLine FindVerdictLine(const std::string& directory,
                            const VerdictLimits& limits);

}  // namespace inquest::cli
