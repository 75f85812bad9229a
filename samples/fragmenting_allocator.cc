// SPDX-License-Identifier: Apache-2.0
// Dies of memory/fragmentation: a pool of equal blocks fills the card, every
// other block is freed, and then a request smaller than the free total finds
// no block that is large enough.
//
// The blocks are 512 KiB because a driver serves such requests from chunks of 2
// MiB: a chunk with one live block cannot be used for anything else, so the
// holes stay on a real card too. (Larger blocks are mapped page by page there
// and their holes can be joined.)
#include <cstdio>
#include <vector>

#include "common/check.h"
#include "common/options.h"
#include "common/training.h"

namespace samples {
namespace {

class BlockPool {
 public:
  explicit BlockPool(size_t block_bytes) : block_bytes_(block_bytes) {}

  // Takes blocks until at most `spare` bytes of the card are left.
  void Fill(size_t spare) {
    size_t free = 0;
    size_t total = 0;
    CHECK_CUDA(cudaMemGetInfo(&free, &total));
    while (free > spare) {
      GrowBy((free - spare + block_bytes_ - 1) / block_bytes_);
      CHECK_CUDA(cudaMemGetInfo(&free, &total));
    }
  }

  void FreeEveryOther() {
    std::vector<Tensor> kept;
    for (size_t i = 0; i < blocks_.size(); i += 2) {
      kept.push_back(std::move(blocks_[i]));
    }
    blocks_ = std::move(kept);
  }

  size_t bytes() const { return blocks_.size() * block_bytes_; }
  size_t count() const { return blocks_.size(); }

 private:
  __attribute__((noinline)) void GrowBy(size_t count) {
    for (size_t i = 0; i < count; ++i) blocks_.emplace_back(block_bytes_);
  }

  size_t block_bytes_;
  std::vector<Tensor> blocks_;
};

// Takes most of a large card's memory in one piece, so that a pool of small
// blocks need not fill it all; 0 takes nothing.
Tensor TakeAllBut(size_t leave, size_t free) {
  return leave == 0 || leave >= free ? Tensor() : Tensor(free - leave);
}

// The gradients of all layers in one piece, as data-parallel training needs.
Tensor AllocateGradientBucket(size_t bytes) {
  return Tensor(bytes);
}

}  // namespace
}  // namespace samples

int main(int argc, char** argv) {
  using namespace samples;
  Options options(argc, argv, "fragments the card's memory until it dies");
  const long steps = options.Number("--steps", 10, "steps before the request");
  const size_t block = options.Bytes("--block", 512 << 10, "bytes of a block");
  const size_t leave =
      options.Bytes("--leave", 0, "bytes to leave to the pool");
  options.Finish();

  const DeviceInfo device = OpenDevice();
  const Tensor weights = TakeAllBut(leave, device.free);
  BlockPool pool(block);
  TrainingLoop(steps, 5, [&](long) {
    const Tensor batch(device.total / 64);
    CHECK_CUDA(cudaMemset(batch.data(), 0, 4096));
  });
  pool.Fill(device.total / 64);
  std::printf("pool: %zu blocks, %s\n", pool.count(),
              Human(pool.bytes()).c_str());
  const size_t before = pool.bytes();
  pool.FreeEveryOther();
  const size_t freed = before - pool.bytes();
  std::printf("pool: freed every other block, %s in holes of %s\n",
              Human(freed).c_str(), Human(block).c_str());
  std::printf("allocating a gradient bucket of %s\n", Human(freed / 4).c_str());
  const Tensor bucket = AllocateGradientBucket(freed / 4);
  std::printf("done\n");
  return 0;
}
