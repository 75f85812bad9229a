// SPDX-License-Identifier: Apache-2.0
#include "host/driver_files.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/distributions.h"

namespace inquest::host {
namespace {

// nvidia0, nvidia1, …; on WSL the one file stands for all GPUs.
bool IsDeviceFile(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia";
  if (name == "dxg") return true;
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         name.find_first_not_of("0123456789", kPrefix.size()) == name.npos;
}

}  // namespace

bool IsDriverNumber(std::string_view text) {
  const size_t dot = text.find('.');
  return dot == 3 && text.find_first_not_of("0123456789.") == text.npos;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82.01  Wed Oct 27 …"
std::string KernelModuleVersion(const std::string& root) {
  const std::string file =
      ReadFile(root + "/proc/driver/nvidia/version", kMaxPackageFileBytes);
  std::string_view rest = file;
  rest = rest.substr(0, rest.find('\n'));
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    if (IsDriverNumber(word)) return std::string(word);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return {};
}

DeviceFiles LookForDeviceFiles(const std::string& root) {
  DeviceFiles found;
  DIR* directory = opendir((root + "/dev").c_str());
  if (directory == nullptr) return found;
  int error = 0;
  bool usable = false;
  while (const dirent* entry = readdir(directory)) {
    if (!IsDeviceFile(entry->d_name)) continue;
    ++found.count;
    const std::string path = root + "/dev/" + entry->d_name;
    if (access(path.c_str(), R_OK | W_OK) == 0) {
      usable = true;
    } else {
      error = errno;
    }
  }
  closedir(directory);
  if (!usable && error != 0) found.error = std::strerror(error);
  return found;
}

}  // namespace inquest::host
