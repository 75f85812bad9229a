// SPDX-License-Identifier: Apache-2.0
#include "collector/process/library_versions.h"

#include <dlfcn.h>

#include <cstring>
#include <string_view>

#include "collector/core/dlopen_hook.h"
#include "collector/core/dlsym_hook.h"
#include "collector/core/lifecycle.h"
#include "collector/process/exported_data.h"
#include "collector/process/modules.h"
#include "host/cudnn_files.h"
#include "host/distributions.h"
#include "host/library_search.h"

namespace inquest::collector {
namespace {

constexpr std::string_view kInteresting[] = {
    "libcudnn",        "libcublas",      "libcuda.so",
    "libcudart",       "libcupti",       "libnccl",
    "libnvrtc",        "libnvidia-ml",   "libnvidia-ptx",
    "libnvJitLink",    "libcusolver",    "libcusparse",
    "libcufft",        "libcurand",      "libtorch",
    "libc10",          "libtensorflow",  "_pywrap_tensorflow",
    "libjax",          "jaxlib",         "xla_extension",
    "xla_cuda_plugin", "libonnxruntime", "libmxnet"};

std::string Dotted(long long number, long long major_unit, long long minor_unit,
                   bool patch = true) {
  std::string text = std::to_string(number / major_unit) + "." +
                     std::to_string(number % major_unit / minor_unit);
  if (patch) text += "." + std::to_string(number % minor_unit);
  return text;
}

// A lookup by handle also finds symbols of dependencies: for libcudnn_ops the
// version function of libcudnn_graph. Only the library's own symbols count.
struct LoadedLibrary {
  void* handle;
  const void* base;
};

template <typename Function>
Function Symbol(const LoadedLibrary& library, const char* name) {
  void* found = RealDlsym(library.handle, name);
  Dl_info info{};
  return found != nullptr && dladdr(found, &info) != 0 &&
                 info.dli_fbase == library.base
             ? reinterpret_cast<Function>(found)
             : nullptr;
}

std::string CudnnDataVersion(uintptr_t base) {
  const auto number = ExportedNumber(base, host::kCudnnVersionData);
  return number ? host::CudnnVersionInData(*number) : "";
}

// libcudnn.so.9 only finds the others: its version is that of the
// libcudnn_graph beside it, if that is loaded.
std::string CudnnVersionBeside(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const Module& module : ListModules()) {
    if (module.path.starts_with(folder) &&
        BaseName(module.path).starts_with("libcudnn_graph.so")) {
      return CudnnDataVersion(module.base);
    }
  }
  return {};
}

std::string CudaVersion(const LoadedLibrary& library, const char* name) {
  const auto get = Symbol<int (*)(int*)>(library, name);
  int number = 0;
  if (get == nullptr || get(&number) != 0 || number <= 0) return {};
  return std::to_string(number / 1000) + "." +
         std::to_string(number % 1000 / 10);
}

std::string NcclVersion(const LoadedLibrary& library) {
  const auto get = Symbol<int (*)(int*)>(library, "ncclGetVersion");
  int number = 0;
  if (get == nullptr || get(&number) != 0) return {};
  return number < 10000 ? Dotted(number, 1000, 100)
                        : Dotted(number, 10000, 100);
}

std::string NvrtcVersion(const LoadedLibrary& library) {
  const auto get = Symbol<int (*)(int*, int*)>(library, "nvrtcVersion");
  int major = 0;
  int minor = 0;
  if (get == nullptr || get(&major, &minor) != 0) return {};
  return std::to_string(major) + "." + std::to_string(minor);
}

// cublasGetProperty and similar functions need no handle: 0 major, 1 minor, 2
// patch.
std::string PropertyVersion(const LoadedLibrary& library, const char* name) {
  const auto get = Symbol<int (*)(int, int*)>(library, name);
  int part[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (get == nullptr || get(i, &part[i]) != 0) return {};
  }
  return std::to_string(part[0]) + "." + std::to_string(part[1]) + "." +
         std::to_string(part[2]);
}

std::string Ask(std::string_view file, const LoadedLibrary& library) {
  if (file.starts_with("libcudart")) {
    return CudaVersion(library, "cudaRuntimeGetVersion");
  }
  if (file.starts_with("libcuda.so")) {
    return CudaVersion(library, "cuDriverGetVersion");
  }
  if (file.starts_with("libnccl")) return NcclVersion(library);
  if (file.starts_with("libnvrtc.so")) return NvrtcVersion(library);
  if (file.starts_with("libcublas.so")) {
    return PropertyVersion(library, "cublasGetProperty");
  }
  if (file.starts_with("libcublasLt.so")) {
    return PropertyVersion(library, "cublasLtGetProperty");
  }
  if (file.starts_with("libcufft.so")) {
    return PropertyVersion(library, "cufftGetProperty");
  }
  if (file.starts_with("libcusparse.so")) {
    return PropertyVersion(library, "cusparseGetProperty");
  }
  if (file.starts_with("libcusparseLt.so")) {
    return PropertyVersion(library, "cusparseLtGetProperty");
  }
  if (file.starts_with("libcusolver.so")) {
    return PropertyVersion(library, "cusolverGetProperty");
  }
  if (file.starts_with("libcurand.so")) {
    return PropertyVersion(library, "curandGetProperty");
  }
  return {};
}

}  // namespace

bool IsInteresting(const std::string& path) {
  const std::string_view file = BaseName(path);
  for (const std::string_view prefix : kInteresting) {
    if (file.starts_with(prefix)) return true;
  }
  return false;
}

// Before cuDNN 9 a version was major * 1000 + minor * 100 + patch.
std::string CudnnVersionText(unsigned long number) {
  const auto value = static_cast<long long>(number);
  return value >= 90000 ? Dotted(value, 10000, 100) : Dotted(value, 1000, 100);
}

LibraryVersion VersionOf(const std::string& path, uintptr_t base) {
  // Waits until a load in progress has run the library's constructors.
  void* handle = IsExiting()
                     ? nullptr
                     : OpenLibrary(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  std::string version;
  if (handle != nullptr) {
    version = Ask(BaseName(path), {handle, reinterpret_cast<void*>(base)});
    dlclose(handle);
  }
  if (!version.empty()) return {version, "call"};
  if (BaseName(path).starts_with("libcudnn")) version = CudnnDataVersion(base);
  if (version.empty() && BaseName(path).starts_with("libcudnn.so")) {
    version = CudnnVersionBeside(path);
  }
  if (!version.empty()) return {version, "symbol"};
  version = host::VersionInFileName(path);
  if (!version.empty()) return {version, "file name"};
  version = host::VersionOfDistributionWith(path);
  if (!version.empty()) return {version, "package"};
  return {};
}

}  // namespace inquest::collector
