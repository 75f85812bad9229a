// The live blocks of one device's address space, as a recorded process made
// them: allocations, frees, gaps. Fed in the order of memory_event by the
// replay. Each call costs O(log live blocks); memory is bounded by the live
// set. Sizes are bytes, times nanoseconds of the trace's clock. Impossible
// events (a free of an unknown address, an overlap) are counted, never fatal.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace inquest::memory {

// The driver backs addresses in pieces of this size; one that holds a live
// block counts as used in cuMemGetInfo. (CUDA driver API,
// cuMemGetAllocationGranularity: 2 MiB on every device since Pascal.)
inline constexpr int64_t kDriverChunk = 2 << 20;

struct Block {
  int64_t bytes = 0;
  int64_t event = 0;  // memory_event.id
  int64_t time = 0;
  int64_t stack = 0;
  uint64_t context = 0;
  uint8_t kind = 0;
};

// The free space between the first and the last address ever handed out.
struct Gaps {
  int64_t total = 0;
  int64_t largest = 0;
  int64_t whole_chunks = 0;  // part of total in whole, aligned driver chunks
  int64_t count = 0;
};

class Heap {
 public:
  using Blocks = std::map<uint64_t, Block>;

  // Returns the block that the new one overlaps, if it does; it is replaced.
  void Allocate(uint64_t address, const Block& block);
  // The block that was freed; nothing where the address was unknown.
  std::optional<Block> Free(uint64_t address);
  // A free that did not happen after all.
  void Restore(uint64_t address, const Block& block);

  const Blocks& blocks() const { return blocks_; }
  int64_t live_bytes() const { return live_bytes_; }
  int64_t peak_bytes() const { return peak_bytes_; }
  int64_t peak_time() const { return peak_time_; }
  int64_t allocations() const { return allocations_; }
  int64_t frees() const { return frees_; }
  int64_t unknown_frees() const { return unknown_frees_; }
  int64_t overlaps() const { return overlaps_; }

  Gaps FindGaps() const;
  // Calls visit(address, bytes, const Block* or nullptr for a gap) in order.
  template <typename Visit>
  void ForEach(Visit visit) const;

 private:
  void DropOverlapped(uint64_t address, int64_t bytes);

  Blocks blocks_;
  uint64_t lowest_ = UINT64_MAX;
  uint64_t highest_ = 0;
  int64_t live_bytes_ = 0;
  int64_t peak_bytes_ = 0;
  int64_t peak_time_ = 0;
  int64_t allocations_ = 0;
  int64_t frees_ = 0;
  int64_t unknown_frees_ = 0;
  int64_t overlaps_ = 0;
};

template <typename Visit>
void Heap::ForEach(Visit visit) const {
  uint64_t at = lowest_;
  for (const auto& [address, block] : blocks_) {
    if (address > at) {
      visit(at, static_cast<int64_t>(address - at), nullptr);
    }
    visit(address, block.bytes, &block);
    at = address + static_cast<uint64_t>(block.bytes);
  }
  if (highest_ > at && lowest_ <= at) {
    visit(at, static_cast<int64_t>(highest_ - at), nullptr);
  }
}

}  // namespace inquest::memory
