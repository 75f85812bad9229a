// SPDX-License-Identifier: Apache-2.0
// Finds the program that a command names, as execvp would, but before any
// process or directory is made, so that a mistyped name leaves no files and
// gets a message that says why. Reads only the file system and PATH.
#pragma once

#include <string>
#include <vector>

namespace inquest::record {

struct Program {
  std::string path;
  int exit_code = 0;      // 127: not found, 126: found but cannot be run
  std::string complaint;  // "train: command not found"; empty when found
};

Program FindProgram(const std::string& name);

// For an exec that failed although the file was there.
Program ExecFailure(const std::string& path, int error);

// The name for a run of `command`: the script for an interpreter or a launcher,
// else the program; letters, digits, '.', '_' and '-' only.
std::string RunName(const std::vector<std::string>& command);

}  // namespace inquest::record
