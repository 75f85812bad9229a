// SPDX-License-Identifier: Apache-2.0
// The libraries with which recording begins: those of CUDA, and of frameworks
// that may use it. By the names of their files; allocates nothing. Any thread.
#pragma once

#include <string_view>

namespace inquest::collector {

// Of a file that was mapped.
bool IsWatched(std::string_view path);
// The driver's, libcuda: recording begins with the attempt to load it.
bool IsDriverLibrary(std::string_view path);

}  // namespace inquest::collector
