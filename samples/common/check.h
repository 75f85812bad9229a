// SPDX-License-Identifier: Apache-2.0
// Reports failures of the samples like an ordinary C++ trainer, with file,
// line, the call, the error's name and its text on stderr, then exit code 1.
//
// Used by every sample. The macros end the process; IGNORED is for the one
// sample that ignores errors. Nothing here is thread-specific.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <string>

namespace samples {

[[noreturn]] void FailRuntime(cudaError_t error, const char* call,
                              const char* file, int line);
[[noreturn]] void FailDriver(CUresult error, const char* call, const char* file,
                             int line);
[[noreturn]] void FailCudnn(cudnnStatus_t status, const char* call,
                            const char* file, int line);

// "1.50 GiB", "384.00 MiB".
std::string Human(size_t bytes);

}  // namespace samples

#define CHECK_CUDA(call)                                            \
  do {                                                              \
    const cudaError_t check_error = (call);                         \
    if (check_error != cudaSuccess)                                 \
      samples::FailRuntime(check_error, #call, __FILE__, __LINE__); \
  } while (0)

#define CHECK_DRIVER(call)                                         \
  do {                                                             \
    const CUresult check_error = (call);                           \
    if (check_error != CUDA_SUCCESS)                               \
      samples::FailDriver(check_error, #call, __FILE__, __LINE__); \
  } while (0)

#define CHECK_CUDNN(call)                                          \
  do {                                                             \
    const cudnnStatus_t check_status = (call);                     \
    if (check_status != CUDNN_STATUS_SUCCESS)                      \
      samples::FailCudnn(check_status, #call, __FILE__, __LINE__); \
  } while (0)
