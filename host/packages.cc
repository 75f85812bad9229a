// SPDX-License-Identifier: Apache-2.0
#include "host/packages.h"

#include <string_view>

#include "base/text.h"
#include "host/distributions.h"
#include "host/library_search.h"

namespace inquest::host {
namespace {

// The first quoted text after `at` on that line.
std::string Quoted(std::string_view text, size_t at) {
  const std::string_view line =
      text.substr(at, text.substr(at).find_first_of("\n#"));
  const size_t open = line.find_first_of("'\"");
  if (open == line.npos) return {};
  const size_t close = line.find(line[open], open + 1);
  return close == line.npos
             ? ""
             : std::string(line.substr(open + 1, close - open - 1));
}

// The text assigned to `name` at the beginning of a line of Python:
// __version__ = '2.9.0', cuda: Optional[str] = '12.8'.
std::string Assigned(std::string_view python, std::string_view name) {
  for (size_t at = 0; at < python.size();) {
    const std::string_view line =
        python.substr(at, python.substr(at).find('\n'));
    const size_t equals = line.find('=');
    if (line.substr(0, name.size()) == name && equals != line.npos &&
        line.find_first_of(" :=", name.size()) == name.size()) {
      return Quoted(line, equals);
    }
    at += line.size() + 1;
  }
  return {};
}

// The value of a key in a printed dictionary: ('cuda_version', '12.5.1') or
// "cuda_version": "12.5.1".
std::string ValueOf(std::string_view python, std::string_view key) {
  const size_t at = python.find(key);
  if (at == python.npos) return {};
  const size_t behind = at + key.size() + 1;  // the closing quote
  return behind < python.size() ? Quoted(python, behind) : "";
}

Package Torch(const std::string& folder) {
  const std::string python =
      ReadFile(folder + "/version.py", kMaxPackageFileBytes);
  return {"torch",      Assigned(python, "__version__"),
          "version.py", Assigned(python, "cuda"),
          "",           folder};
}

Package TensorFlow(const std::string& folder) {
  const std::string site = folder.substr(0, folder.rfind('/'));
  const std::string build =
      ReadFile(folder + "/python/platform/build_info.py", kMaxPackageFileBytes);
  return {"tensorflow",
          VersionOfDistributionOf(site, "tensorflow"),
          "dist-info",
          ValueOf(build, "cuda_version"),
          ValueOf(build, "cudnn_version"),
          folder};
}

// For jax, jaxlib and jax's plugins. Newer ones compute __version__.
Package Jax(const std::string& name, const std::string& folder) {
  const std::string python =
      ReadFile(folder + "/version.py", kMaxPackageFileBytes);
  std::string version;
  for (const char* variable : {"_release_version", "__version__", "_version"}) {
    if (version.empty()) version = Assigned(python, variable);
  }
  return {name, version, "version.py", "", "", folder};
}

// The path up to and including the last folder of this name; empty if there is
// none.
std::string FolderNamed(const std::string& path, const std::string& name) {
  const size_t at = path.rfind("/" + name + "/");
  return at == path.npos ? "" : path.substr(0, at + 1 + name.size());
}

std::vector<Package> PackagesAround(const std::string& library) {
  const std::string_view file = LastPart(library);
  const auto is = [file](std::string_view prefix) {
    return file.substr(0, prefix.size()) == prefix;
  };
  std::string folder;
  if (is("libc10.so") && !(folder = FolderNamed(library, "torch")).empty()) {
    return {Torch(folder)};
  }
  if ((is("libtensorflow_framework.so") || is("_pywrap_tensorflow_internal")) &&
      !(folder = FolderNamed(library, "tensorflow")).empty()) {
    return {TensorFlow(folder)};
  }
  if ((is("libjax_common") || is("xla_extension") || is("_jax.so")) &&
      !(folder = FolderNamed(library, "jaxlib")).empty()) {
    const std::string jax = folder.substr(0, folder.size() - 3);
    return {Jax("jaxlib", folder), Jax("jax", jax)};
  }
  if (is("xla_cuda_plugin") &&
      !(folder = FolderNamed(library, "jax_plugins")).empty()) {
    const std::string plugin = library.substr(0, library.rfind('/'));
    return {Jax("jax_plugins." + std::string(LastPart(plugin)), plugin)};
  }
  return {};
}

}  // namespace

std::vector<Package> PackagesOf(const std::string& library) {
  std::vector<Package> found;
  for (Package& package : PackagesAround(library)) {
    if (!package.version.empty()) found.push_back(std::move(package));
  }
  return found;
}

}  // namespace inquest::host
