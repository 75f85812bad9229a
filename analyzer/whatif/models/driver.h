// SPDX-License-Identifier: Apache-2.0
// A model of a device's memory as the driver provides it: by cuMemAlloc and,
// page by page for reserved address ranges, by cuMemCreate. For the allocator
// models.
//
// Rules: memory is backed in pages of 2 MiB (cuMemGetAllocationGranularity;
// cuMemGetInfo changes in the same steps); a request of more than 1 MiB takes
// whole pages; smaller ones are packed, by first fit and in units of 512 bytes,
// into pages that are released with their last block. NVIDIA documents the
// granularity and the alignment; the packing of small requests was measured on
// cards (tests/simgpu/README.md). A card can use any free pages for a large
// request, since addresses are plentiful; the simulated GPU needs neighbouring
// ones. Which applies is an option, and the recorded run shows it if a request
// was refused though enough pages were free.
//
// Sizes are bytes. O(log blocks) a call. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyzer/whatif/models/free_ranges.h"

namespace inquest::whatif {

inline constexpr int64_t kPage = 2 << 20;
// Stands for an unknown device size: larger than any device.
inline constexpr int64_t kBoundless = int64_t{1} << 44;

inline int64_t RoundUp(int64_t bytes, int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

struct DriverOptions {
  int64_t capacity = kBoundless;  // for this process
  bool one_piece = false;         // large requests need neighbouring pages
  uint64_t base = uint64_t{1} << 45;
};

class Driver {
 public:
  explicit Driver(const DriverOptions& options);

  std::optional<uint64_t> Allocate(int64_t bytes);
  void Free(uint64_t address);
  // Places a block from before the history. False if it does not fit or
  // overlaps another.
  bool Place(uint64_t address, int64_t bytes);
  // Pages without an address.
  bool TakePages(int64_t pages);
  void GivePages(int64_t pages);

  int64_t used() const { return used_; }
  int64_t capacity() const { return options_.capacity; }
  int64_t LargestFree() const;
  // Blocks by address, with the requested bytes.
  const std::unordered_map<uint64_t, int64_t>& blocks() const {
    return blocks_;
  }

 private:
  std::optional<uint64_t> TakeRange(int64_t bytes);
  void GiveRange(uint64_t address, int64_t bytes);
  std::optional<uint64_t> AllocateSmall(int64_t bytes);
  void FreeSmall(uint64_t address, int64_t bytes);

  DriverOptions options_;
  int64_t used_ = 0;
  FreeRanges space_;  // addresses in whole pages
  std::unordered_map<uint64_t, int64_t> blocks_;
  FreeRanges small_;                            // in pages used by small blocks
  std::unordered_map<uint64_t, int64_t> live_;  // bytes, by such a page
  std::vector<uint64_t> loose_;                 // pages of TakePages
};

}  // namespace inquest::whatif
