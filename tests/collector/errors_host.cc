// SPDX-License-Identifier: Apache-2.0
// Fails in ways that the collector must tell apart: `once`, a bad argument;
// `oom`, requests that are too large; `cascade N`, a call that fails N times in
// a row, another in between; `quiet`, results that are no errors.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const int times = argc > 2 ? std::atoi(argv[2]) : 1;
  void* block = nullptr;
  cudaMalloc(&block, 1 << 20);
  if (how == "once") cudaMemcpy(block, block, 16, cudaMemcpyKind(7));
  if (how == "oom") {
    void* other = nullptr;
    cudaMalloc(&other, size_t{1} << 45);
    cudaGetLastError();
    cudaPeekAtLastError();
  }
  if (how == "cascade") {
    for (int i = 0; i < times; ++i) {
      cudaMemcpy(block, block, 16, cudaMemcpyKind(7));
    }
    cudaSetDevice(99);
    for (int i = 0; i < times; ++i) {
      cudaMemcpy(block, block, 16, cudaMemcpyKind(7));
    }
  }
  if (how == "alternate") {
    for (int i = 0; i < times; ++i) {
      cudaMemcpy(block, block, 16, cudaMemcpyKind(7));
      cudaSetDevice(99);
    }
  }
  if (how == "quiet") {
    cudaGetLastError();
    cudaFree(nullptr);
  }
  std::puts("done");
  return 0;
}
