// What the user pointed at: run directories, traces, logs, told apart by their
// content. Looks only at file types and first bytes; opens nothing for good.
#pragma once

#include <string>
#include <vector>

#include "trace/status.h"

namespace inquest::cli {

struct Inputs {
  std::vector<std::string> run_directories;
  std::vector<std::string> traces;  // .trace.sqlite, made from a journal or not
  std::vector<std::string> snapshots;  // of PyTorch's memory
  std::vector<std::string> logs;
};

// Adds one PATH argument to `inputs`. "-" is a log on standard input. An error
// says what the path is and what would have been expected.
Status ClassifyPath(const std::string& path, Inputs* inputs);

// --source KIND=FILE, with KIND trace, torch-snapshot or log.
Status AddForcedSource(const std::string& option, Inputs* inputs);

}  // namespace inquest::cli
