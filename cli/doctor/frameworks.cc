// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/frameworks.h"

#include <unistd.h>

#include <utility>

#include "host/cudnn_files.h"
#include "host/distributions.h"
#include "host/library_search.h"

namespace inquest::doctor {
namespace {

struct Known {
  const char* folder;   // in a folder of sys.path
  const char* sign;     // the library by which PackagesOf knows it
  const char* library;  // that uses the GPU
};
constexpr Known kKnown[] = {
    {"torch", "lib/libc10.so", "lib/libtorch_cuda.so"},
    {"tensorflow", "libtensorflow_framework.so.2", "libtensorflow_cc.so.2"},
    {"jax_plugins/xla_cuda13", "xla_cuda_plugin.so", "xla_cuda_plugin.so"},
    {"jax_plugins/xla_cuda12", "xla_cuda_plugin.so", "xla_cuda_plugin.so"},
};

bool Exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

Framework Make(const Known& known, const std::string& folder,
               const std::string& root) {
  Framework framework{{}, "", "", Linker(root)};
  const std::string sign = folder + "/" + known.sign;
  for (host::Package& package : host::PackagesOf(sign)) {
    framework.package = std::move(package);
    break;
  }
  if (framework.package.name.empty()) framework.package.name = known.folder;
  framework.package.path = folder;
  const std::string library = folder + "/" + known.library;
  if (!Exists(library)) return framework;
  framework.library = library;
  framework.wants_cudnn = host::CudnnRequiredBy(library);
  framework.linker.Load(library);
  return framework;
}

}  // namespace

std::vector<Framework> FindFrameworks(const std::vector<std::string>& sys_path,
                                      const std::string& root) {
  std::vector<Framework> found;
  for (const Known& known : kKnown) {
    for (const std::string& site : sys_path) {
      const std::string folder = site + "/" + known.folder;
      if (!Exists(folder + "/" + known.sign)) continue;
      found.push_back(Make(known, folder, root));
      break;
    }
  }
  return found;
}

std::string CudnnOf(const Framework& framework) {
  for (const auto& [name, loaded] : framework.linker.loaded()) {
    if (name.starts_with("libcudnn.so")) return loaded.path;
  }
  // JAX and TensorFlow open it while they run, by its name alone.
  const ElfFile caller = ReadElf(framework.library);
  for (const char* name : {"libcudnn.so.9", "libcudnn.so.8"}) {
    std::string path = framework.linker.Find(name, caller);
    if (!path.empty()) return path;
  }
  return {};
}

std::string VersionOfFile(const std::string& path) {
  std::string version = host::VersionOfDistributionWith(path);
  return version.empty() ? host::VersionInFileName(path) : version;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) {
    all.append(all.empty() ? "" : ", ").append(word);
  }
  return all;
}

}  // namespace inquest::doctor
