// SPDX-License-Identifier: Apache-2.0
// A model of an allocator of device memory: it gets the requests of a program
// and computes where they would have been placed and how much of the device
// they would have used. The models are cuda_malloc.h, torch_allocator.h,
// bfc_allocator.h and async_pool.h; all take their memory from a model of the
// device (driver.h). Run by simulate.h. Models only keep records; an event
// costs O(log live). Sizes are bytes. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

namespace inquest::whatif {

struct Totals {
  int64_t allocated = 0;  // in live blocks, as rounded up
  int64_t reserved = 0;   // held from the driver
  int64_t segments = 0;   // pieces of it
  int64_t peak_allocated = 0;
  int64_t peak_reserved = 0;
  int64_t peak_segments = 0;  // at peak_reserved
  int64_t released = 0;       // times unused memory was released to make room

  void Allocate(int64_t bytes) {
    allocated += bytes;
    peak_allocated = std::max(peak_allocated, allocated);
  }
  void Reserve(int64_t bytes, int64_t pieces) {
    reserved += bytes;
    segments += pieces;
    if (reserved <= peak_reserved) return;
    peak_reserved = reserved;
    peak_segments = segments;
  }
};

class Allocator {
 public:
  using SegmentVisitor = std::function<void(uint64_t address, int64_t bytes)>;

  virtual ~Allocator() = default;
  // `block` is the caller's number for the block, small and used once; `queue`
  // is that of the requesting stream (or of a private pool's stream). False:
  // refused; the only change is the memory it released while trying.
  virtual bool Allocate(uint32_t block, int64_t bytes, uint16_t queue) = 0;
  // A number that is not live is ignored.
  virtual void Free(uint32_t block) = 0;
  // The program asks it to release unused memory.
  virtual void EmptyCache() {}
  // The largest piece that it could allocate without a request to the driver.
  virtual int64_t LargestFree() const = 0;
  // In any order.
  virtual void VisitSegments(const SegmentVisitor& visit) const = 0;
  const Totals& totals() const { return totals_; }

 protected:
  Totals totals_;
};

}  // namespace inquest::whatif
