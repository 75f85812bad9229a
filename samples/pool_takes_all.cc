// SPDX-License-Identifier: Apache-2.0
// Dies of memory/pool-headroom: the program's own pool takes the whole card at
// the start, as TensorFlow and JAX do, and cuDNN then finds no room for its
// handle.
#include <cstdio>
#include <vector>

#include "common/check.h"
#include "common/options.h"
#include "common/training.h"

namespace samples {
namespace {

// Takes segments, halving the size at each refusal, until not even the
// smallest is left.
class GreedyPool {
 public:
  void TakeAll(size_t first, size_t smallest) {
    for (size_t bytes = first; bytes >= smallest;) {
      void* segment = nullptr;
      if (cudaMalloc(&segment, bytes) == cudaSuccess) {
        reserved_ += bytes;
        segments_.push_back(segment);
      } else {
        cudaGetLastError();  // the pool finds the limit by a refusal
        bytes /= 2;
      }
    }
  }
  size_t reserved() const { return reserved_; }

 private:
  size_t reserved_ = 0;
  std::vector<void*> segments_;
};

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  using namespace samples;
  Options options(argc, argv, "a memory pool that leaves cuDNN no room");
  const long steps = options.Number("--steps", 10, "training steps");
  options.Finish();

  const DeviceInfo device = OpenDevice();
  GreedyPool pool;
  pool.TakeAll(device.free, 4096);
  std::printf("pool: reserved %s of %s\n", Human(pool.reserved()).c_str(),
              Human(device.total).c_str());
  cudnnHandle_t handle = nullptr;
  CHECK_CUDNN(cudnnCreate(&handle));
  TrainingLoop(steps, 5, [](long) {});
  CHECK_CUDNN(cudnnDestroy(handle));
  std::printf("done\n");
  return 0;
}
