// SPDX-License-Identifier: Apache-2.0
// A diagnosis in a process of its own, so that a run which is too large, takes
// too long or brings the program down costs only itself. For the commands that
// work on many runs; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "cli/arguments.h"
#include "cli/rule_options.h"

namespace inquest::cli {

struct ChildOptions {
  RuleOptions rules;
  int64_t timeout_s = 600;  // then the process is killed
};

void AddChildOptions(const Command& command, ChildOptions* options);

// What `inquest diagnose PATH --format ndjson` printed. The error quotes what
// it complained about, or says how it ended.
Expected<std::string> DiagnoseInChild(const std::string& path,
                                      const ChildOptions& options);

}  // namespace inquest::cli
