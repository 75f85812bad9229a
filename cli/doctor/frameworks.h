// SPDX-License-Identifier: Apache-2.0
// The frameworks that Python would import, and the libraries that the dynamic
// linker would then load for them.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/elf_file.h"
#include "cli/doctor/linker.h"
#include "host/packages.h"

namespace inquest::doctor {

struct Framework {
  host::Package package;
  std::string library;      // that uses the GPU: libtorch_cuda.so
  std::string wants_cudnn;  // the release that its package pins
  Linker linker;
};

// In the folders of sys.path, the first of each framework; those without GPU
// support have an empty `library`.
std::vector<Framework> FindFrameworks(const std::vector<std::string>& sys_path,
                                      const std::string& root);

// The libcudnn.so that a framework would use; empty: none.
std::string CudnnOf(const Framework& framework);

// The release of a library by its Python package or the name of its file;
// empty: neither says.
std::string VersionOfFile(const std::string& path);
// "a, b, c".
std::string Joined(const std::vector<std::string>& words);

}  // namespace inquest::doctor
