// SPDX-License-Identifier: Apache-2.0
// The driver's own pool, cudaMallocAsync, as a model (PyTorch:
// backend:cudaMallocAsync; TensorFlow: TF_GPU_ALLOCATOR=cuda_malloc_async).
//
// Documented (CUDA programming guide, stream-ordered memory allocator;
// cudaMemPoolAttr*): allocation and free follow the order of their stream; free
// memory may be reused on another stream if an event, a finished free or a new
// dependency allows it, all three by default; above the release threshold
// unused memory goes back to the system when something synchronises (the
// frameworks set the threshold to the highest value, so that it stays); memory
// is physical pages mapped into the pool's own addresses. Not documented, and
// assumed: a request of up to 1 MiB is placed by first fit in units of 512
// bytes in pages of 2 MiB, a larger one takes whole pages, and can use any
// unused pages, so pages do not fragment; every free has finished on its stream
// when the next request comes. Cards need somewhat more than this model if
// streams run far ahead of each other.
//
// An event costs O(log blocks). One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/whatif/models/allocator.h"
#include "analyzer/whatif/models/driver.h"

namespace inquest::whatif {

class AsyncPool : public Allocator {
 public:
  explicit AsyncPool(Driver* driver);

  bool Allocate(uint32_t block, int64_t bytes, uint16_t queue) override;
  void Free(uint32_t block) override;
  void EmptyCache() override;  // cudaMemPoolTrimTo(0)
  int64_t LargestFree() const override;
  void VisitSegments(const SegmentVisitor& visit) const override;

 private:
  struct Held {
    uint64_t address = 0;
    int64_t bytes = 0;
  };

  // Blocks are placed in unlimited pages (`inside_`, which never refuses); only
  // the number of used pages counts.
  Driver* driver_;
  Driver inside_;
  int64_t unused_ = 0;  // pages held and not in use
  std::unordered_map<uint32_t, Held> blocks_;
};

}  // namespace inquest::whatif
