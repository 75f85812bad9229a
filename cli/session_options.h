// SPDX-License-Identifier: Apache-2.0
// What to examine and how: the arguments of each command that examines a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/diagnosis/profile.h"
#include "cli/command.h"
#include "cli/rule_options.h"

namespace inquest::cli {

struct SessionOptions {
  std::vector<std::string> paths;
  std::vector<std::string> logs;     // --log
  std::vector<std::string> sources;  // --source KIND=FILE
  std::string rank_pattern;          // --rank-pattern
  int64_t workers = 0;               // --jobs; 0: this process reads all
  bool verbose = false;              // tells each log's rank and node
  size_t timeline_points = 0;        // of memory over time, for pictures
  bool timeline_categories = false;  // and what it was for
  bool site_stacks = true;           // for pictures, too
  RuleOptions rules;
  int64_t timeout_ms = 0;                 // for everything; 0: none
  diagnosis::Profile* profile = nullptr;  // of `rules profile`
};

void AddSessionOptions(Command command, SessionOptions* options);

// What comes through a pipe can be read once.
bool ReadsStream(const SessionOptions& options);

// The inputs as words of a command; empty if they cannot be read again.
std::string ArgumentsOf(const SessionOptions& options);

}  // namespace inquest::cli
