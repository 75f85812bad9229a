// SPDX-License-Identifier: Apache-2.0
// Convolutions as a trainer makes them. `switch N`: N calls with an algorithm
// that wants a large workspace, then the device is filled, and N with one that
// makes do with a small one (`switch N LARGE SMALL`: those); `stay N`: the
// same, and goes on until it is killed. `layers N`: one call on each of N
// layers. `failing`: a call that is refused for its algorithm, one for its
// workspace, in two NVTX ranges. `fork`: parent and child each call the layer.
// `loop N`: what a call takes of the processor.
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "checked_calls.h"

namespace {

constexpr auto kLarge = CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED;
constexpr auto kSmall = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
constexpr auto kNone = CUDNN_CONVOLUTION_FWD_ALGO_DIRECT;
constexpr size_t kSpare = 8 << 20;

class Convolution {
 public:
  Convolution() {
    Check(cudnnCreate(&handle_), "cudnnCreate");
    cudnnCreateTensorDescriptor(&x_);
    cudnnCreateTensorDescriptor(&y_);
    cudnnCreateFilterDescriptor(&w_);
    cudnnCreateConvolutionDescriptor(&c_);
    Check(cudnnSetFilter4dDescriptor(w_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
                                     64, 64, 3, 3),
          "filter");
    Check(cudnnSetConvolution2dDescriptor(
              c_, 1, 1, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
          "convolution");
    Shape(8);
    data_ = Take(size_t{8} * 64 * 56 * 56 * 4);
  }
  void Shape(int images) {
    for (cudnnTensorDescriptor_t tensor : {x_, y_}) {
      Check(cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW,
                                       CUDNN_DATA_FLOAT, images, 64, 56, 56),
            "tensor");
    }
  }
  size_t Wanted(cudnnConvolutionFwdAlgo_t algorithm) {
    size_t bytes = 0;
    Check(cudnnGetConvolutionForwardWorkspaceSize(handle_, x_, w_, c_, y_,
                                                  algorithm, &bytes),
          "workspace");
    return bytes;
  }
  cudnnStatus_t Forward(cudnnConvolutionFwdAlgo_t algorithm, void* workspace,
                        size_t bytes) {
    const float one = 1, zero = 0;
    return cudnnConvolutionForward(handle_, &one, x_, data_, w_, data_, c_,
                                   algorithm, workspace, bytes, &zero, y_,
                                   data_);
  }

 private:
  cudnnHandle_t handle_ = nullptr;
  cudnnTensorDescriptor_t x_ = nullptr, y_ = nullptr;
  cudnnFilterDescriptor_t w_ = nullptr;
  cudnnConvolutionDescriptor_t c_ = nullptr;
  void* data_ = nullptr;
};

void Calls(Convolution* layer, cudnnConvolutionFwdAlgo_t algorithm, int times) {
  const size_t bytes = layer->Wanted(algorithm);
  void* workspace = Take(bytes);
  for (int i = 0; i < times; ++i) {
    Check(layer->Forward(algorithm, workspace, bytes), "forward");
  }
  cudaFree(workspace);
}

void FillDevice() {
  size_t free_bytes = 0, total = 0;
  Check(cudaMemGetInfo(&free_bytes, &total), "cudaMemGetInfo");
  Take(free_bytes - kSpare);
}

// The processor time of this thread.
double ThreadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec);
}

void Loop(Convolution* layer, int times) {
  const size_t bytes = layer->Wanted(kSmall);
  void* workspace = Take(bytes);
  for (int i = 0; i < 1000; ++i) layer->Forward(kSmall, workspace, bytes);
  const double begin = ThreadNs();
  for (int i = 0; i < times; ++i) layer->Forward(kSmall, workspace, bytes);
  std::printf("%.0f ns a call\n", (ThreadNs() - begin) / times);
}

void Fail(Convolution* layer) {
  void* workspace = Take(1024);
  std::printf("%d ", layer->Forward(kNone, workspace, 1024));
  nvtxRangePushA("step 1");
  nvtxRangePushA("layer4.conv2");
  std::printf("%d ", layer->Forward(kSmall, workspace, 1024));
  nvtxRangePop();
  nvtxRangePop();
  char text[200] = "";
  cudnnGetLastErrorString(text, sizeof text);
  std::printf("%s\n", text);
}

// CUDA does not survive a fork: the child's calls fail, on the same layer.
void Fork(Convolution* layer) {
  Calls(layer, kSmall, 3);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 2; ++i) layer->Forward(kSmall, layer, 1 << 20);
    std::exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  Check(status, "the child");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const int times = argc > 2 ? std::atoi(argv[2]) : 1;
  const auto algorithm = [&](int at, cudnnConvolutionFwdAlgo_t usual) {
    return argc > at
               ? static_cast<cudnnConvolutionFwdAlgo_t>(std::atoi(argv[at]))
               : usual;
  };
  Convolution layer;
  if (how == "switch" || how == "stay") {
    Calls(&layer, algorithm(3, kLarge), times);
    FillDevice();
    Calls(&layer, algorithm(4, kSmall), times);
  }
  if (how == "layers") {
    for (int i = 1; i <= times; ++i) {
      layer.Shape(i);
      Check(layer.Forward(CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0),
            "forward");
    }
  }
  if (how == "fork") Fork(&layer);
  if (how == "failing") Fail(&layer);
  if (how == "loop") Loop(&layer, times);
  std::puts("done");
  std::fflush(stdout);
  while (how == "stay") Calls(&layer, kSmall, 100);
  return 0;
}
