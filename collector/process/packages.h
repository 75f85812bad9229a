// SPDX-License-Identifier: Apache-2.0
// The versions of frameworks, read from the files that their Python packages
// carry beside the libraries they map: no Python is run. Pure but for reading
// files, each up to 64 KiB. Called by the drain thread.
//
// torch/version.py also says with which CUDA it was built, TensorFlow's
// python/platform/build_info.py with which CUDA and cuDNN.
#pragma once

#include <string>
#include <vector>

namespace inquest::collector {

struct Package {
  std::string name;  // torch, tensorflow, jax, jaxlib, jax_plugins.xla_cuda13
  std::string version;  // as written
  std::string source;   // what says so: version.py, dist-info
  std::string cuda;     // of the build; empty: not said
  std::string cudnn;
  std::string path;  // the package's folder
};

// The packages that a library with this path tells of; none for most.
std::vector<Package> PackagesOf(const std::string& library);

}  // namespace inquest::collector
