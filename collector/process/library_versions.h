// SPDX-License-Identifier: Apache-2.0
// The version of a loaded library from the best available source: the library's
// own version function if calling it is harmless, a version that it exports as
// data, the name of the resolved file, its pip package. Background thread only,
// except for cuDNN: its version function locks and allocates, so cudnn_log.cc
// calls it in a host thread that is using cuDNN.
#pragma once

#include <cstdint>
#include <string>

namespace inquest::collector {

struct LibraryVersion {
  std::string version;  // empty: not known
  std::string source;   // call, symbol, file name, package
};

// Whether the library is one whose version matters for a verdict.
bool IsInteresting(const std::string& path);
// cuDNN's number as 9.19.0.
std::string CudnnVersionText(unsigned long number);
// `base` is its load address. While the process exits, destructors may have
// run, so no library is called and only data, names and packages are used.
LibraryVersion VersionOf(const std::string& path, uintptr_t base);

}  // namespace inquest::collector
