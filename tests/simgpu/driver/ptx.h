// SPDX-License-Identifier: Apache-2.0
// Reads as much PTX as the launch check needs: the version, the target, and
// each entry's parameters. Not a PTX compiler: bodies are skipped.
//
// Called by driver/module.cc. A text without `.version` and `.target` is not
// PTX. Pure functions on text of any size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace simgpu::driver {

struct KernelParam {
  size_t offset = 0;
  size_t size = 0;
  bool is_pointer = false;  // declared .u64: an address by convention
};

struct KernelEntry {
  std::string name;
  std::vector<KernelParam> params;
};

struct PtxModule {
  int version = 0;  // 10 * major + minor
  int target = 0;   // sm number
  std::vector<KernelEntry> entries;
};

bool ParsePtx(std::string_view text, PtxModule* module);

}  // namespace simgpu::driver
