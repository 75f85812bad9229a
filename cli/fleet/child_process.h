// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end, with both of its outputs kept and a limit of time.
// For the commands that work on many runs; any thread. Standard input is empty.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/status.h"

namespace inquest::cli {

struct Ended {
  bool in_time = true;  // false: it was killed
  int state = 0;        // as of waitpid
  std::string output;
  std::string complaint;  // the beginning of its stderr

  // "exit code 2", "signal 9 (Killed)".
  std::string Words() const;
};

// `program` is a path, or a name that is looked up in PATH. An error only if it
// could not be started.
Expected<Ended> RunToEnd(const std::string& program,
                         std::vector<std::string> words,
                         std::chrono::seconds most);

}  // namespace inquest::cli
