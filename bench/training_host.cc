// SPDX-License-Identifier: Apache-2.0
// A loop like a training's, for bench/run: a step is 2,000 calls of cuDNN on
// forty layers, 50 allocations and as many frees, and 50 ms of the program's
// own work. Prints how much of a step the calls and the work take, in
// nanoseconds of the thread's CPU time: the work is the same with and without a
// recorder, but a shared machine does not always do it equally fast.
//
//   bench_training_host STEPS
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/collector/checked_calls.h"

namespace {

constexpr int kLayers = 40;
constexpr int kCallsOfALayer = 50;
constexpr int kBlocks = 50;
constexpr double kWorkNs = 50e6;
constexpr auto kAlgorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;

double Ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e9 * static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec);
}

// Computes until so much of the thread's CPU time has passed. Returns the
// result.
uint64_t Work(double ns) {
  uint64_t x = 1;
  for (const double end = Ns(CLOCK_THREAD_CPUTIME_ID) + ns;
       Ns(CLOCK_THREAD_CPUTIME_ID) < end;) {
    for (uint64_t i = 0; i < 100'000; ++i) x = x * 6364136223846793005u + i;
  }
  return x;
}

struct Layer {
  cudnnTensorDescriptor_t x = nullptr, y = nullptr;
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t c = nullptr;
};

Layer MakeLayer(int size) {
  Layer layer;
  for (cudnnTensorDescriptor_t* tensor : {&layer.x, &layer.y}) {
    cudnnCreateTensorDescriptor(tensor);
    Check(cudnnSetTensor4dDescriptor(*tensor, CUDNN_TENSOR_NCHW,
                                     CUDNN_DATA_FLOAT, 8, 16, size, size),
          "tensor");
  }
  cudnnCreateFilterDescriptor(&layer.w);
  Check(cudnnSetFilter4dDescriptor(layer.w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
                                   16, 16, 3, 3),
        "filter");
  cudnnCreateConvolutionDescriptor(&layer.c);
  Check(
      cudnnSetConvolution2dDescriptor(
          layer.c, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
      "convolution");
  return layer;
}

class Training {
 public:
  Training() {
    Check(cudnnCreate(&handle_), "cudnnCreate");
    for (int i = 0; i < kLayers; ++i) layers_.push_back(MakeLayer(8 + i));
    data_ = Take(64 << 20);
    workspace_ = Take(kSpace);
  }

  void Step() {
    const double begin = Ns(CLOCK_THREAD_CPUTIME_ID);
    std::vector<void*> blocks;
    for (int i = 0; i < kBlocks; ++i) blocks.push_back(Take(1 << 20));
    for (const Layer& layer : layers_) {
      for (int i = 0; i < kCallsOfALayer; ++i) Forward(layer);
    }
    for (void* block : blocks) cudaFree(block);
    const double called = Ns(CLOCK_THREAD_CPUTIME_ID);
    sum_ += Work(kWorkNs);
    calls_ns_ += called - begin;
    work_ns_ += Ns(CLOCK_THREAD_CPUTIME_ID) - called;
  }
  void Report(int steps) const {
    std::printf("%.0f %.0f %llu\n", calls_ns_ / steps, work_ns_ / steps,
                static_cast<unsigned long long>(sum_));
  }

 private:
  static constexpr size_t kSpace = 16 << 20;
  void Forward(const Layer& layer) {
    const float one = 1, zero = 0;
    Check(cudnnConvolutionForward(handle_, &one, layer.x, data_, layer.w, data_,
                                  layer.c, kAlgorithm, workspace_, kSpace,
                                  &zero, layer.y, data_),
          "forward");
  }

  cudnnHandle_t handle_ = nullptr;
  std::vector<Layer> layers_;
  void* data_ = nullptr;
  void* workspace_ = nullptr;
  double calls_ns_ = 0;
  double work_ns_ = 0;
  uint64_t sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int steps = std::atoi(argv[1]);
  Training training;
  for (int i = 0; i < steps; ++i) training.Step();
  training.Report(steps);
  return 0;
}
