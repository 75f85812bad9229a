// SPDX-License-Identifier: Apache-2.0
#include "common/training.h"

#include <nvtx3/nvToolsExt.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "common/check.h"

namespace samples {

Tensor::Tensor(size_t bytes) : bytes_(bytes) {
  const cudaError_t error = cudaMalloc(&data_, bytes);
  if (error == cudaErrorMemoryAllocation) {
    std::fprintf(stderr, "CUDA out of memory: tried to allocate %s\n",
                 Human(bytes).c_str());
  }
  CHECK_CUDA(error);
}

Tensor::~Tensor() {
  if (data_ != nullptr) cudaFree(data_);
}

Tensor::Tensor(Tensor&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceInfo OpenDevice() {
  DeviceInfo info;
  cudaDeviceProp properties;
  CHECK_CUDA(cudaSetDevice(0));
  CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
  CHECK_CUDA(cudaMemGetInfo(&info.free, &info.total));
  std::printf("device 0: %s, compute capability %d.%d, %s free of %s\n",
              properties.name, properties.major, properties.minor,
              Human(info.free).c_str(), Human(info.total).c_str());
  return info;
}

ConvLayer::ConvLayer(cudnnHandle_t handle, int batch, int channels, int size)
    : handle_(handle) {
  Describe(batch, channels, size);
  const size_t elements = static_cast<size_t>(batch) * channels * size * size;
  const size_t taps = static_cast<size_t>(channels) * channels * 9;
  x_ = Tensor(elements * sizeof(float));
  y_ = Tensor(elements * sizeof(float));
  gradient_ = Tensor(elements * sizeof(float));
  weights_ = Tensor(taps * sizeof(float));
  weight_gradient_ = Tensor(taps * sizeof(float));
  CHECK_CUDA(cudaMemset(x_.data(), 0, x_.bytes()));
  CHECK_CUDA(cudaMemset(weights_.data(), 0, weights_.bytes()));
  ChooseAlgorithms();
}

void ConvLayer::Describe(int batch, int channels, int size) {
  CHECK_CUDNN(cudnnCreateTensorDescriptor(&shape_));
  CHECK_CUDNN(cudnnSetTensor4dDescriptor(shape_, CUDNN_TENSOR_NCHW,
                                         CUDNN_DATA_FLOAT, batch, channels,
                                         size, size));
  CHECK_CUDNN(cudnnCreateFilterDescriptor(&filter_));
  CHECK_CUDNN(cudnnSetFilter4dDescriptor(
      filter_, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, channels, channels, 3, 3));
  CHECK_CUDNN(cudnnCreateConvolutionDescriptor(&convolution_));
  CHECK_CUDNN(cudnnSetConvolution2dDescriptor(convolution_, 1, 1, 1, 1, 1, 1,
                                              CUDNN_CROSS_CORRELATION,
                                              CUDNN_DATA_FLOAT));
}

void ConvLayer::ChooseAlgorithms() {
  cudnnConvolutionFwdAlgoPerf_t best = {};
  int found = 0;
  CHECK_CUDNN(cudnnGetConvolutionForwardAlgorithm_v7(
      handle_, shape_, filter_, convolution_, shape_, 1, &found, &best));
  if (found > 0) forward_ = best.algo;
  size_t bytes = 0;
  CHECK_CUDNN(cudnnGetConvolutionForwardWorkspaceSize(
      handle_, shape_, filter_, convolution_, shape_, forward_, &bytes));
  if (bytes > 0) workspace_ = Tensor(bytes);
}

ConvLayer::~ConvLayer() {
  cudnnDestroyConvolutionDescriptor(convolution_);
  cudnnDestroyFilterDescriptor(filter_);
  cudnnDestroyTensorDescriptor(shape_);
}

void ConvLayer::Forward() {
  const float one = 1.0F;
  const float zero = 0.0F;
  CHECK_CUDNN(cudnnConvolutionForward(handle_, &one, shape_, x_.data(), filter_,
                                      weights_.data(), convolution_, forward_,
                                      workspace_.data(), workspace_.bytes(),
                                      &zero, shape_, y_.data()));
}

void ConvLayer::Backward() {
  const float one = 1.0F;
  const float zero = 0.0F;
  CHECK_CUDNN(cudnnConvolutionBackwardFilter(
      handle_, &one, shape_, x_.data(), shape_, y_.data(), convolution_,
      CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, nullptr, 0, &zero, filter_,
      weight_gradient_.data()));
  CHECK_CUDNN(cudnnConvolutionBackwardData(
      handle_, &one, filter_, weights_.data(), shape_, y_.data(), convolution_,
      CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, nullptr, 0, &zero, shape_,
      gradient_.data()));
}

void TrainingLoop(long steps, long every,
                  const std::function<void(long)>& body) {
  for (long step = 1; step <= steps; ++step) {
    char range[32];
    std::snprintf(range, sizeof range, "step %ld", step);
    nvtxRangePushA(range);
    body(step);
    nvtxRangePop();
    if (step % every == 0) {
      std::printf("step %ld loss %.4f\n", step,
                  2.3 / std::sqrt(1.0 + 0.1 * static_cast<double>(step)));
      std::fflush(stdout);
    }
  }
}

}  // namespace samples
