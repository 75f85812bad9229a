// SPDX-License-Identifier: Apache-2.0
// How fast the simulator allocates and frees through the runtime, so that a
// benchmark on it measures the collector and not the simulator. Prints
// nanoseconds a pair; asserts nothing.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr int kPairs = 1000000;

double NsSince(std::chrono::steady_clock::time_point start) {
  const auto elapsed = std::chrono::steady_clock::now() - start;
  return std::chrono::duration<double, std::nano>(elapsed).count() / kPairs;
}

void Run(const char* name, size_t bytes, size_t live) {
  std::vector<void*> blocks(live);
  for (void*& block : blocks) cudaMalloc(&block, bytes);
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < kPairs; ++i) {
    void*& block = blocks[i * 7919u % live];
    cudaFree(block);
    cudaMalloc(&block, bytes + i % 4 * 512);
  }
  std::printf("%-28s %7.0f ns a pair\n", name, NsSince(start));
  for (void* block : blocks) cudaFree(block);
}

}  // namespace

int main() {
  Run("4 KiB, 1 live", 4 << 10, 1);
  Run("4 KiB, 1000 live", 4 << 10, 1000);
  Run("4 KiB, 100000 live", 4 << 10, 100000);
  Run("4 MiB, 1 live", 4 << 20, 1);
  Run("4 MiB, 200 live", 4 << 20, 200);
  return 0;
}
