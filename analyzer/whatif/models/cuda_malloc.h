// SPDX-License-Identifier: Apache-2.0
// A program that requests each block from the driver (cudaMalloc, cudaFree):
// the device model with numbered blocks. `reserved` counts their pages.
#pragma once

#include <unordered_map>

#include "analyzer/whatif/models/allocator.h"
#include "analyzer/whatif/models/driver.h"

namespace inquest::whatif {

class CudaMalloc : public Allocator {
 public:
  explicit CudaMalloc(Driver* driver) : driver_(driver) {}

  bool Allocate(uint32_t block, int64_t bytes, uint16_t queue) override;
  void Free(uint32_t block) override;
  int64_t LargestFree() const override { return driver_->LargestFree(); }
  void VisitSegments(const SegmentVisitor& visit) const override;

 private:
  struct Held {
    uint64_t address = 0;
    int64_t bytes = 0;
  };
  Driver* driver_;
  std::unordered_map<uint32_t, Held> blocks_;
};

}  // namespace inquest::whatif
