// SPDX-License-Identifier: Apache-2.0
// The loop that bench/run records with and without stacks: pairs of allocate
// and free, called at a given stack depth. Prints the mean nanoseconds per pair
// of the threads' CPU time, on which other load has little influence. A first
// lap and a short pause let a recorder do what it does only once (touching the
// pages of its buffers, listing libraries).
//
//   bench_stack_host device|host|flood DEPTH PAIRS [THREADS]
//
// `device` calls the driver (the simulated one, in bench/run), `host` calls
// malloc, for programs that record malloc; `flood` is `device` without a first
// lap and a pause.
#include <cuda.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

namespace {

constexpr int kWarmUp = 150'000;

void DevicePair() {
  CUdeviceptr block = 0;
  cuMemAlloc(&block, 4096);
  cuMemFree(block);
}

void HostPair() {
  void* volatile block = std::malloc(4096);
  std::free(block);
}

CUcontext g_context = nullptr;

void UseDevice() {
  cuCtxSetCurrent(g_context);
}

void Open() {
  if (cuInit(0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&g_context, 0) != CUDA_SUCCESS) {
    std::fprintf(stderr, "no device\n");
    std::exit(1);
  }
}

double ThreadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec);
}

// Not inlined, and not turned into a loop: each call is a frame.
[[gnu::noinline]] double Deep(int depth, int warm_up, int pairs,
                              void (*pair)()) {
  if (depth > 0) {
    const volatile double result = Deep(depth - 1, warm_up, pairs, pair);
    return result;
  }
  for (int i = 0; i < warm_up; ++i) pair();
  if (warm_up > 0) usleep(700'000);
  const double start = ThreadNs();
  for (int i = 0; i < pairs; ++i) pair();
  return (ThreadNs() - start) / pairs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const bool flood = std::strcmp(argv[1], "flood") == 0;
  const bool device = flood || std::strcmp(argv[1], "device") == 0;
  const int threads = argc > 4 ? std::atoi(argv[4]) : 1;
  const int warm_up = flood ? 0 : kWarmUp / threads;
  if (device) Open();
  std::vector<double> ns(threads);
  std::vector<std::thread> others;
  const auto run = [&](int thread) {
    if (device) UseDevice();
    ns[thread] = Deep(std::atoi(argv[2]), warm_up, std::atoi(argv[3]),
                      device ? DevicePair : HostPair);
  };
  for (int i = 1; i < threads; ++i) others.emplace_back(run, i);
  run(0);
  for (std::thread& other : others) other.join();
  std::printf("%.1f\n", std::accumulate(ns.begin(), ns.end(), 0.0) / threads);
  return 0;
}
