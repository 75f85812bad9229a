// SPDX-License-Identifier: Apache-2.0
// What the kernel shows of NVIDIA's driver: its module and its device files.
// Opens no device. `root` goes before /proc and /dev: empty, or a test's
// folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace inquest::host {

// "580.95.05"; a toolkit's stub and WSL's libcuda.so.1.1 have no such number.
bool IsDriverNumber(std::string_view text);
// Of the module that is loaded; empty: none is.
std::string KernelModuleVersion(const std::string& root);

struct DeviceFiles {
  int64_t count = 0;  // GPUs in /dev
  std::string error;  // why none of them may be opened
};
DeviceFiles LookForDeviceFiles(const std::string& root);

}  // namespace inquest::host
