// The loop that bench/run records with and without stacks: pairs of allocate
// and free, asked for from a given number of calls deep. Prints nanoseconds a
// pair of this thread's own time on a processor, so that what else runs on the
// machine counts little.
//
//   bench_stack_host device|host DEPTH PAIRS
//
// `device` asks the driver (the simulated one, in bench/run), `host` malloc,
// for programs that watch that one.
#include <cuda.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void DevicePair() {
  CUdeviceptr block = 0;
  cuMemAlloc(&block, 4096);
  cuMemFree(block);
}

void HostPair() {
  void* volatile block = std::malloc(4096);
  std::free(block);
}

void Open() {
  CUcontext context = nullptr;
  if (cuInit(0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
      cuCtxSetCurrent(context) != CUDA_SUCCESS) {
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
[[gnu::noinline]] double Deep(int depth, int pairs, void (*pair)()) {
  if (depth > 0) {
    const volatile double result = Deep(depth - 1, pairs, pair);
    return result;
  }
  for (int i = 0; i < 1000; ++i) pair();
  const double start = ThreadNs();
  for (int i = 0; i < pairs; ++i) pair();
  return (ThreadNs() - start) / pairs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const bool device = std::strcmp(argv[1], "device") == 0;
  if (device) Open();
  std::printf("%.1f\n", Deep(std::atoi(argv[2]), std::atoi(argv[3]),
                             device ? DevicePair : HostPair));
  return 0;
}
