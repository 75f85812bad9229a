// SPDX-License-Identifier: Apache-2.0
// Where the python3 of this environment looks for packages. It is run for that,
// as a job would run it: PYTHONPATH, virtual environments and .pth files count.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/doctor/helper.h"

namespace inquest::doctor {

struct PythonPath {
  std::string program;  // empty: there is no python3, or it gave no answer
  std::string version;
  std::vector<std::string> folders;  // sys.path
};

class PythonProbe {
 public:
  PythonProbe();
  PythonPath AnswerUntil(std::chrono::steady_clock::time_point deadline);

 private:
  Helper helper_;
};

}  // namespace inquest::doctor
