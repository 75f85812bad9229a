// SPDX-License-Identifier: Apache-2.0
// The versions of frameworks, read from the files of the Python packages to
// which mapped libraries belong; no Python is run. Pure except for reading
// files, each up to 64 KiB. Called by the drain thread.
//
// torch/version.py also has the CUDA version of the build, TensorFlow's
// python/platform/build_info.py those of CUDA and cuDNN.
#pragma once

#include <string>
#include <vector>

namespace inquest::host {

struct Package {
  std::string name;  // torch, tensorflow, jax, jaxlib, jax_plugins.xla_cuda13
  std::string version;  // as written
  std::string source;   // where it was found: version.py, dist-info
  std::string cuda;     // of the build; empty: unknown
  std::string cudnn;
  std::string path;  // the package's folder
};

// The packages to which a library with this path belongs; none for most.
std::vector<Package> PackagesOf(const std::string& library);

}  // namespace inquest::host
