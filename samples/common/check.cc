// SPDX-License-Identifier: Apache-2.0
#include "common/check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace samples {
namespace {

const char* FileName(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

[[noreturn]] void Fail(const char* kind, const std::string& error,
                       const char* call, const char* file, int line) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s error at %s:%d: %s\n  in: %s\n", kind,
               FileName(file), line, error.c_str(), call);
  std::exit(1);
}

}  // namespace

void FailRuntime(cudaError_t error, const char* call, const char* file,
                 int line) {
  const std::string text =
      std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
  size_t free = 0;
  size_t total = 0;
  if (error == cudaErrorMemoryAllocation &&
      cudaMemGetInfo(&free, &total) == cudaSuccess) {
    std::fprintf(stderr, "GPU 0 has %s free of a total of %s\n",
                 Human(free).c_str(), Human(total).c_str());
  }
  Fail("CUDA", text, call, file, line);
}

void FailDriver(CUresult error, const char* call, const char* file, int line) {
  const char* name = nullptr;
  const char* text = nullptr;
  cuGetErrorName(error, &name);
  cuGetErrorString(error, &text);
  Fail("CUDA driver",
       std::string(name ? name : "?") + ": " + (text ? text : "?"), call, file,
       line);
}

void FailCudnn(cudnnStatus_t status, const char* call, const char* file,
               int line) {
  char detail[512] = "";
  cudnnGetLastErrorString(detail, sizeof detail);
  std::string text = cudnnGetErrorString(status);
  if (detail[0] != '\0') text += std::string(" (") + detail + ")";
  Fail("cuDNN", text, call, file, line);
}

std::string Human(size_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %s", value, units[unit]);
  return text;
}

}  // namespace samples
