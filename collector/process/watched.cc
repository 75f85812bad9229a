// SPDX-License-Identifier: Apache-2.0
#include "collector/process/watched.h"

#include "collector/process/modules.h"

namespace inquest::collector {
namespace {

constexpr std::string_view kWatched[] = {
    "libcuda.so",      "libcudart.so",       "libcudnn",
    "libcublas",       "libcufft",           "libcurand",
    "libcusolver",     "libcusparse",        "libcutensor",
    "libcupti.so",     "libnccl.so",         "libnvrtc.so",
    "libnvinfer",      "libnvshmem_host",    "libtorch",
    "libc10.so",       "libc10_cuda.so",     "libtensorflow",
    "libjax_common",   "_pywrap_tensorflow", "_jax.so",
    "xla_extension",   "xla_cuda_plugin",    "libonnxruntime",
    "onnxruntime_pyb", "libmxnet",           "libpaddle"};

}  // namespace

// CuPy's modules have common names, and its runtime library is linked into one
// of them.
bool IsWatched(std::string_view path) {
  const std::string_view file = BaseName(path);
  for (const std::string_view prefix : kWatched) {
    if (file.starts_with(prefix)) return true;
  }
  return path.find("/cupy_backends/cuda/") != path.npos;
}

bool IsDriverLibrary(std::string_view path) {
  return BaseName(path).starts_with("libcuda.so");
}

}  // namespace inquest::collector
