// SPDX-License-Identifier: Apache-2.0
// Linked with a library whose constructor has used CUDA (early_cuda.cc);
// allocates two more blocks.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <initializer_list>

void EarlyCuda();

int main() {
  EarlyCuda();
  for (const size_t bytes : {size_t{2} << 20, size_t{3} << 20}) {
    void* block = nullptr;
    if (cudaMalloc(&block, bytes) != cudaSuccess) return 1;
  }
  std::puts("done");
  return 0;
}
