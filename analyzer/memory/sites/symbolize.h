// SPDX-License-Identifier: Apache-2.0
// Names for return addresses, offline, from the recorded module map and the
// debug information of the files themselves (elfutils' libdwfl). Used by the
// memory analysis for the few distinct stacks of a trace. If a file is gone or
// was rebuilt, the name is "module+0xoffset". Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"

namespace inquest::memory {

struct Frame {
  std::string function;  // demangled, without arguments
  std::string file;      // may be empty
  int line = 0;
  std::string module;  // file name of the object: libtorch_cuda.so
};

// A function's name without its list of arguments and anonymous namespaces.
std::string WithoutArguments(std::string name);

class Symbolizer {
 public:
  // Reads the module map of one process from its trace.
  Symbolizer(facts::Store* store, int process);
  ~Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  // `address` is a return address as recorded.
  Frame Resolve(uint64_t address);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether a frame belongs to the machinery (CUDA, cuDNN, the collector, the C
// and C++ libraries) and not to the code that requested memory.
bool IsMachinery(const Frame& frame);

}  // namespace inquest::memory
