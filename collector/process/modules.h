// SPDX-License-Identifier: Apache-2.0
// The shared objects mapped into this process. Lists are copies; nothing here
// loads or unloads anything. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::collector {

struct Module {
  std::string path;  // the main program's is its executable
  std::string build_id;
  uintptr_t base = 0;
  uintptr_t end = 0;
};

std::vector<Module> ListModules();
// Grows with each object that is loaded; cheap.
uint64_t LoadCount();

std::string_view BaseName(std::string_view path);

// Whether the code at `address` belongs to a file whose name has this prefix.
bool ModuleNameBegins(const void* address, std::string_view prefix);
inline bool IsCudnnModule(const void* address) {
  return ModuleNameBegins(address, "libcudnn");
}
// Whether it is our own.
bool IsOurs(const void* address);

// A handle, never closed, to the object that contains `address`; null for the
// main program or if unknown.
void* HandleOf(const void* address);
// The same for the first loaded object whose file name begins with `prefix`.
void* HandleOfLoaded(std::string_view prefix);

}  // namespace inquest::collector
