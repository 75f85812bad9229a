// SPDX-License-Identifier: Apache-2.0
// What hosts that call CUDA and cuDNN share: a failed call ends them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

// Of any library whose status 0 is success.
template <typename Status>
void Check(Status status, const char* what) {
  if (status == Status{}) return;
  std::fprintf(stderr, "%s: %d\n", what, static_cast<int>(status));
  std::exit(1);
}

// Device memory; none for 0 bytes.
inline void* Take(size_t bytes) {
  void* block = nullptr;
  if (bytes > 0) Check(cudaMalloc(&block, bytes), "cudaMalloc");
  return block;
}
