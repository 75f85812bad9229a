// SPDX-License-Identifier: Apache-2.0
// The Python frames of recorded call stacks, as a user reads them: the user's
// own code before packages. Used by the memory analysis for sites and by
// findings for evidence. One thread, as the store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

struct PythonFrame {
  std::string file;
  int64_t line = 0;
  std::string function;
};

// "train.py:57 in forward"
std::string PlaceOf(const PythonFrame& frame);

// Of one process. The statement is compiled at the first use and kept.
class PythonFrames {
 public:
  // The store must outlive it.
  PythonFrames(Store* store, int process) : store_(store), process_(process) {}

  // Innermost first. Empty if none was recorded.
  std::vector<PythonFrame> All(int64_t stack);
  // Innermost first: the user's own code (IsOwnCode) or, if the stack has none,
  // all frames. Empty if none was recorded.
  std::vector<PythonFrame> Telling(int64_t stack);

 private:
  Store* store_;
  int process_;
  Statement row_;
};

}  // namespace inquest::facts
