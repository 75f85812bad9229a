// SPDX-License-Identifier: Apache-2.0
// The address space of one device's memory and the driver's way of handing it
// out: requests of more than 1 MiB get whole 2 MiB pages in one piece, smaller
// ones a multiple of 512 bytes inside a 2 MiB chunk that goes back when its
// last block is freed. Fragmentation is therefore real, at both levels.
//
// Called by core/device.h under the device's mutex; it never touches memory, it
// only keeps records. Sizes and addresses are bytes. Each call is O(log n) in
// the number of live blocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/free_ranges.h"

namespace simgpu {

inline constexpr uint64_t kPage = uint64_t{2} << 20;
inline constexpr uint64_t kGranule = 512;
inline constexpr uint64_t kSmallLimit = uint64_t{1} << 20;

class DeviceHeap {
 public:
  // `base` and `size` are multiples of kPage.
  DeviceHeap(uint64_t base, uint64_t size, Fit fit);

  // Returns the address, or nothing when no free range is large enough. The
  // owner is any number, kept for OwnedBy.
  std::optional<uint64_t> Allocate(uint64_t bytes, uint32_t owner = 0);
  // Frees the block that starts at `address`; false when there is none.
  bool Free(uint64_t address);

  // Whole pages from the top of the address space, for contexts and other
  // processes, apart from the program's own blocks.
  std::optional<uint64_t> AllocateTop(uint64_t bytes);
  // Whole pages wherever they are, in pieces, as cuMemCreate takes them.
  std::optional<std::vector<Range>> TakePages(uint64_t bytes);
  void ReturnPages(const std::vector<Range>& pieces);

  // The live block that contains `address`, with the requested size.
  std::optional<Range> Find(uint64_t address) const;

  // The addresses of the live blocks of one owner, ascending; O(n).
  std::vector<uint64_t> OwnedBy(uint32_t owner) const;

  uint64_t base() const { return base_; }
  uint64_t size() const { return size_; }
  // Free memory counts whole pages, as cuMemGetInfo does.
  uint64_t free_bytes() const { return large_.total(); }
  uint64_t used_bytes() const { return size_ - large_.total(); }
  uint64_t largest_free() const { return large_.largest(); }
  size_t live_count() const { return live_.size(); }

 private:
  struct Block {
    uint64_t asked = 0;
    uint64_t taken = 0;
    uint32_t owner = 0;
  };

  std::optional<uint64_t> AllocateSmall(uint64_t taken);
  std::optional<uint64_t> AllocateLarge(uint64_t taken);
  void FreeSmall(Range range);
  void FreeLarge(Range range);

  uint64_t base_;
  uint64_t size_;
  FreeRanges large_;
  FreeRanges small_;
  std::map<uint64_t, Block> live_;
};

}  // namespace simgpu
