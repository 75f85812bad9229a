// SPDX-License-Identifier: Apache-2.0
// Does not die: a training loop with convolutions, a stream, events, pinned
// memory, and a cache of buffers that grows for some steps and then stays: a
// sawtooth and a plateau that a leak detector must not report.
#include <cstdio>
#include <deque>

#include "common/check.h"
#include "common/options.h"
#include "common/training.h"

namespace samples {
namespace {

constexpr size_t kCacheLimit = 24;

// Keeps the last buffers; frees the oldest when the limit is reached.
class BufferCache {
 public:
  explicit BufferCache(size_t bytes) : bytes_(bytes) {}
  void Add() {
    if (buffers_.size() == kCacheLimit) buffers_.pop_front();
    buffers_.emplace_back(bytes_);
  }

 private:
  size_t bytes_;
  std::deque<Tensor> buffers_;
};

class Timer {
 public:
  explicit Timer(cudaStream_t stream) : stream_(stream) {
    CHECK_CUDA(cudaEventCreate(&start_));
    CHECK_CUDA(cudaEventCreate(&end_));
    CHECK_CUDA(cudaEventRecord(start_, stream_));
  }
  ~Timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(end_);
  }
  float Stop() {
    float ms = 0;
    CHECK_CUDA(cudaEventRecord(end_, stream_));
    CHECK_CUDA(cudaEventSynchronize(end_));
    CHECK_CUDA(cudaEventElapsedTime(&ms, start_, end_));
    return ms;
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

// One batch comes from pinned memory; activations live for the step only.
void TrainStep(ConvLayer* layer, BufferCache* cache, const void* host,
               size_t batch_bytes, size_t activation, cudaStream_t stream) {
  const Tensor batch(batch_bytes);
  CHECK_CUDA(cudaMemcpyAsync(batch.data(), host, batch_bytes,
                             cudaMemcpyHostToDevice, stream));
  const Tensor first(activation);
  const Tensor second(activation);
  layer->Forward();
  layer->Backward();
  cache->Add();
  CHECK_CUDA(cudaStreamSynchronize(stream));
}

void Train(long steps, const DeviceInfo& device, cudnnHandle_t handle,
           cudaStream_t stream) {
  constexpr size_t kBatchBytes = 4 << 20;
  void* host = nullptr;
  CHECK_CUDA(cudaMallocHost(&host, kBatchBytes));
  {
    ConvLayer layer(handle, 8, 16, 64);
    BufferCache cache(device.total / 256);
    Timer timer(stream);
    TrainingLoop(steps, 10, [&](long) {
      TrainStep(&layer, &cache, host, kBatchBytes, device.total / 16, stream);
    });
    std::printf("trained %ld steps in %.1f ms\n", steps,
                static_cast<double>(timer.Stop()));
  }
  CHECK_CUDA(cudaFreeHost(host));
}

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  using namespace samples;
  Options options(argc, argv, "trains and ends well");
  const long steps = options.Number("--steps", 100, "training steps");
  options.Finish();

  const DeviceInfo device = OpenDevice();
  cudnnHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
  CHECK_CUDNN(cudnnCreate(&handle));
  CHECK_CUDA(cudaStreamCreate(&stream));
  CHECK_CUDNN(cudnnSetStream(handle, stream));
  Train(steps, device, handle, stream);
  CHECK_CUDNN(cudnnDestroy(handle));
  CHECK_CUDA(cudaStreamDestroy(stream));
  CHECK_CUDA(cudaDeviceSynchronize());
  std::printf("done\n");
  return 0;
}
