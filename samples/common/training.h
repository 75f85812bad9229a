// SPDX-License-Identifier: Apache-2.0
// The parts of a training program that the samples share: a device tensor, a
// small convolution layer over cuDNN, and the loop that prints a loss and marks
// each step with an NVTX range "step N".
//
// Used by the samples. Failures end the process through common/check.h. Sizes
// are bytes and scale with the card through DeviceInfo. One thread.
#pragma once

#include <cudnn.h>

#include <cstddef>
#include <functional>

namespace samples {

// Device memory with an owner; freed with it.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(size_t bytes);
  ~Tensor();
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

struct DeviceInfo {
  size_t free = 0;
  size_t total = 0;
};

// Prints the card's name and memory as trainers do, and returns the memory.
DeviceInfo OpenDevice();

// A 3x3 convolution with padding, forward and backward, and its workspace.
class ConvLayer {
 public:
  ConvLayer(cudnnHandle_t handle, int batch, int channels, int size);
  ~ConvLayer();
  ConvLayer(const ConvLayer&) = delete;
  ConvLayer& operator=(const ConvLayer&) = delete;

  void Forward();
  void Backward();

 private:
  void Describe(int batch, int channels, int size);
  void ChooseAlgorithms();

  cudnnHandle_t handle_;
  cudnnTensorDescriptor_t shape_ = nullptr;
  cudnnFilterDescriptor_t filter_ = nullptr;
  cudnnConvolutionDescriptor_t convolution_ = nullptr;
  cudnnConvolutionFwdAlgo_t forward_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  Tensor x_;
  Tensor y_;
  Tensor gradient_;
  Tensor weights_;
  Tensor weight_gradient_;
  Tensor workspace_;
};

// Runs `body(step)` for steps 1..steps, each inside an NVTX range; prints a
// falling loss every `every` steps.
void TrainingLoop(long steps, long every,
                  const std::function<void(long)>& body);

}  // namespace samples
