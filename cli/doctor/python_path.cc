// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/python_path.h"

#include <unistd.h>

namespace inquest::doctor {
namespace {

constexpr char kProgram[] =
    "import sys\n"
    "print('inquest')\n"
    "print(sys.executable)\n"
    "print('.'.join(map(str, sys.version_info[:3])))\n"
    "print('\\n'.join(one for one in sys.path if one))\n";

void RunPython(int fd) {
  dup2(fd, STDOUT_FILENO);
  execlp("python3", "python3", "-c", kProgram, nullptr);
}

}  // namespace

PythonProbe::PythonProbe() : helper_(RunPython) {}

PythonPath PythonProbe::AnswerUntil(
    std::chrono::steady_clock::time_point deadline) {
  std::vector<std::string> lines;
  std::string text = helper_.AnswerUntil(deadline);
  for (size_t at; (at = text.find('\n')) != text.npos; text.erase(0, at + 1)) {
    lines.push_back(text.substr(0, at));
  }
  PythonPath found;
  // A sitecustomize may print before us.
  size_t i = 0;
  while (i < lines.size() && lines[i] != "inquest") ++i;
  if (i + 2 >= lines.size()) return found;
  found.program = lines[i + 1];
  found.version = lines[i + 2];
  found.folders.assign(lines.begin() + static_cast<std::ptrdiff_t>(i) + 3,
                       lines.end());
  return found;
}

}  // namespace inquest::doctor
