// SPDX-License-Identifier: Apache-2.0
// Asks N times for more memory than there is, as a program does that retries
// without end, and is killed outright. For bench/run.
//
//   bench_refused_host N
#include <cuda.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  CUcontext context = nullptr;
  if (cuInit(0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS) {
    std::fprintf(stderr, "no device\n");
    return 1;
  }
  cuCtxSetCurrent(context);
  const long times = argc > 1 ? std::atol(argv[1]) : 1;
  for (long i = 0; i < times; ++i) {
    CUdeviceptr block = 0;
    cuMemAlloc(&block, size_t{1} << 40);
  }
  kill(getpid(), SIGKILL);
}
