// SPDX-License-Identifier: Apache-2.0
// Stands in for libc10_cuda.so: a pool that reports to c10, and what programs
// do with it. `tensors_host` loads it with RTLD_LOCAL, as Python does.
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "pool.h"

namespace c10::cuda {
// Its name alone tells how wide a DeviceIndex is.
__attribute__((visibility("default"))) int getStreamFromPool(
    bool, DeviceIndex device) {
  return device;
}
}  // namespace c10::cuda

namespace {

constexpr size_t kMiB = 1 << 20;
using c10::Device;
using c10::DeviceType;

int Few(Pool* pool) {
  pool->Allocate(3 * kMiB);
  void* second = pool->Allocate(5 * kMiB);
  pool->Allocate(7 * kMiB);
  pool->Free(second);
  return 0;
}

// Tensors that stay until there is no room for another.
int Full(Pool* pool, size_t bytes) {
  while (pool->Allocate(bytes) != nullptr) {
  }
  return 1;
}

// Every other one goes again; half of what is held is free, in small pieces.
int Fragment(Pool* pool) {
  std::vector<void*> blocks;
  while (void* block = pool->Allocate(4 * kMiB)) blocks.push_back(block);
  for (size_t i = 0; i < blocks.size(); i += 2) pool->Free(blocks[i]);
  return pool->Allocate(100 * kMiB) == nullptr ? 1 : 0;
}

// Too much while something else is live, and again when that is gone, as
// programs do that clear a cache and try once more.
int Again(Pool* pool) {
  void* held = pool->Allocate(600 * kMiB);
  const bool refused = pool->Allocate(590 * kMiB) == nullptr;
  pool->Free(held);
  return refused && pool->Allocate(590 * kMiB) != nullptr ? 0 : 1;
}

double ThreadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec);
}

// Pairs of an allocation and a free, with as many live beside them as a model
// has; prints nanoseconds of this thread's own time a call.
int Loop(Pool* pool, long count) {
  std::vector<void*> live(500);
  for (void*& block : live) block = pool->Allocate(4096);
  const double begin = ThreadNs();
  for (long i = 0; i < count; ++i) {
    void*& block = live[static_cast<size_t>(i) % live.size()];
    pool->Free(block);
    block = pool->Allocate(4096);
  }
  std::printf("%.1f ns\n",
              (ThreadNs() - begin) / (2.0 * static_cast<double>(count)));
  return 0;
}

// A pool for each of four threads, as each device has one.
int Threads(Device device, long count) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([=] {
      Pool pool(device, 20 * kMiB, 0);
      for (long j = 0; j < count; ++j) pool.Free(pool.Allocate(kMiB));
      pool.Allocate(kMiB);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

int Stay(Pool* pool) {
  Few(pool);
  std::puts("done");
  std::fflush(stdout);
  for (;;) {
    pool->Free(pool->Allocate(2 * kMiB));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int C10CudaRun(
    const char* how, long count) {
  const auto is = [how](const char* name) {
    return std::strcmp(how, name) == 0;
  };
  const Device device{is("cpu") ? DeviceType::CPU : DeviceType::CUDA,
                      static_cast<c10::DeviceIndex>(is("second") ? 1 : 0)};
  if (is("threads")) return Threads(device, count);
  const size_t limit = is("limit") ? 256 * kMiB : 0;
  Pool pool(device, 20 * kMiB, limit);
  if (is("full") || is("limit")) return Full(&pool, 24 * kMiB);
  if (is("fragment")) return Fragment(&pool);
  if (is("again")) return Again(&pool);
  if (is("loop")) return Loop(&pool, count);
  if (is("stay")) return Stay(&pool);
  return Few(&pool);
}
