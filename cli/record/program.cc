// SPDX-License-Identifier: Apache-2.0
#include "cli/record/program.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

namespace inquest::record {
namespace {

constexpr size_t kMaxRunName = 64;

Program NotExecutable(const std::string& path, const std::string& why) {
  return {path, 126, fmt::format("{}: {}", path, why)};
}

Program CheckFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    const int code = errno == EACCES ? 126 : 127;
    return {path, code, fmt::format("{}: {}", path, strerror(errno))};
  }
  if (S_ISDIR(info.st_mode)) return NotExecutable(path, "is a directory");
  if (access(path.c_str(), X_OK) != 0) {
    return NotExecutable(
        path, fmt::format("{}; if it is a program, run: chmod +x {}",
                          errno == EACCES ? "not executable" : strerror(errno),
                          path));
  }
  return {path, 0, {}};
}

bool IsRegular(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

bool IsScript(std::string_view argument) {
  return argument.size() > 3 && argument[0] != '-' &&
         (argument.ends_with(".py") || argument.ends_with(".sh"));
}

// The script or module that an interpreter or a launcher runs, else empty.
std::string_view ScriptOf(const std::vector<std::string>& command) {
  for (const std::string& argument : command) {
    if (IsScript(argument)) return argument;
  }
  for (size_t i = 1; i + 1 < command.size(); ++i) {
    if (command[i] == "-m") return command[i + 1];
  }
  return {};
}

// The "#!" line's program, for a message when that program is missing.
std::string Interpreter(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return {};
  const size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == line.npos) return {};
  return line.substr(begin, line.find_first_of(" \t\r", begin) - begin);
}

}  // namespace

Program FindProgram(const std::string& name) {
  if (name.find('/') != name.npos) return CheckFile(name);
  const char* variable = getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/bin:/usr/bin";
  Program found{name, 127,
                fmt::format("{}: command not found (looked in PATH)", name)};
  while (!name.empty()) {
    const size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    Program candidate =
        CheckFile(fmt::format("{}/{}", folder.empty() ? "." : folder, name));
    if (candidate.exit_code == 0) return candidate;
    // A folder of that name, or in a folder that we may not enter, is not a
    // candidate.
    if (candidate.exit_code == 126 && found.exit_code == 127 &&
        IsRegular(candidate.path)) {
      found = candidate;
    }
    if (colon == rest.npos) break;
    rest.remove_prefix(colon + 1);
  }
  return found;
}

Program ExecFailure(const std::string& path, int error) {
  if (error == ENOENT) {
    const std::string interpreter = Interpreter(path);
    return NotExecutable(
        path,
        interpreter.empty()
            ? "its dynamic loader does not exist on this machine"
            : fmt::format("its interpreter {} does not exist", interpreter));
  }
  return NotExecutable(path, strerror(error));
}

std::string RunName(const std::vector<std::string>& command) {
  std::string_view source = ScriptOf(command);
  if (source.empty() && !command.empty()) source = command[0];
  std::string name(BaseName(source));
  for (std::string_view end : {".py", ".sh"}) {
    if (name.size() > end.size() && name.ends_with(end)) {
      name.resize(name.size() - end.size());
    }
  }
  for (char& c : name) {
    const bool plain = isalnum(static_cast<unsigned char>(c)) != 0;
    if (!plain && c != '.' && c != '_' && c != '-') c = '_';
  }
  name.resize(std::min(name.size(), kMaxRunName));
  const bool hidden = name.empty() || name[0] == '.' || name[0] == '-';
  return hidden ? "run" + name : name;
}

}  // namespace inquest::record
