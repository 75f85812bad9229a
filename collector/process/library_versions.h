// SPDX-License-Identifier: Apache-2.0
// The version of a loaded library, by the best witness there is: the library's
// own version function where calling it is harmless, a version it exports as
// data, the name of the file it really is, the pip package it came in.
// Background thread only, but for cuDNN: its version function locks and
// allocates, so cudnn_log.cc calls it in a thread of the host's that is using
// cuDNN.
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
// `base` is where it is loaded. While the process exits, destructors may have
// run and no library is called: then only data, names and packages tell.
LibraryVersion VersionOf(const std::string& path, uintptr_t base);

}  // namespace inquest::collector
