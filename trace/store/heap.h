// SPDX-License-Identifier: Apache-2.0
// The live blocks of one device's address space and the gaps between them, from
// the allocations and frees of a recorded process. Fed in the order of
// memory_event by the ledger (ledger.h). Sizes are bytes, times nanoseconds of
// the trace's clock. Impossible events (a free of an unknown address, an
// overlap) are counted, never fatal.
//
// The caller chooses where blocks are stored: in memory (MapBlocks, for the
// analyzer, bounded by the live blocks) or in the trace's checkpoint
// (BlocksInTable in checkpoint.h, for the collector, which must stay small).
// Each call costs a few lookups among the live blocks. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace inquest::trace {

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

// Blocks by address. They do not overlap.
class Blocks {
 public:
  using Visitor = std::function<void(uint64_t address, const Block& block)>;
  virtual ~Blocks() = default;
  virtual std::optional<Block> Find(uint64_t address) const = 0;
  virtual void Put(uint64_t address, const Block& block) = 0;
  virtual void Erase(uint64_t address) = 0;
  // A block that overlaps the `bytes` from `address` on.
  virtual std::optional<std::pair<uint64_t, Block>> FindIn(
      uint64_t address, int64_t bytes) const = 0;
  // In the order of addresses.
  virtual void Visit(const Visitor& visit) const = 0;
};

class MapBlocks : public Blocks {
 public:
  std::optional<Block> Find(uint64_t address) const override;
  void Put(uint64_t address, const Block& block) override;
  void Erase(uint64_t address) override;
  std::optional<std::pair<uint64_t, Block>> FindIn(
      uint64_t address, int64_t bytes) const override;
  void Visit(const Visitor& visit) const override;

 private:
  using Map = std::map<uint64_t, Block>;
  static constexpr size_t kMaxSpare = 1 << 12;
  Map blocks_;
  std::vector<Map::node_type> spare_;  // of erased blocks, for new ones
};

// The free space between the first and the last address ever handed out.
struct Gaps {
  int64_t total = 0;
  int64_t largest = 0;
  int64_t whole_chunks = 0;  // part of total in whole, aligned driver chunks
  int64_t count = 0;
};

// The state of a heap except its blocks.
struct HeapTotals {
  uint64_t lowest = UINT64_MAX;  // ever handed out
  uint64_t highest = 0;          // first byte after them
  int64_t live_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t peak_time = 0;
  int64_t allocations = 0;
  int64_t frees = 0;
  int64_t unknown_frees = 0;
  int64_t overlaps = 0;
};

// What a block's number is. A handle names memory that has no address; the
// next handle may be the next number, however large the memory is.
enum class Numbers { kAddresses, kHandles };

class Heap {
 public:
  explicit Heap(std::unique_ptr<Blocks> blocks = std::make_unique<MapBlocks>(),
                Numbers numbers = Numbers::kAddresses)
      : blocks_(std::move(blocks)), numbers_(numbers) {}

  using Dropped = std::vector<std::pair<uint64_t, Block>>;
  // Blocks that the new one overlaps are counted and replaced, and returned in
  // `dropped` if that is given.
  void Allocate(uint64_t address, const Block& block,
                Dropped* dropped = nullptr);
  // The block that was freed; nothing if the address is unknown.
  std::optional<Block> Free(uint64_t address);
  // Undoes a free that turned out to have failed.
  void Restore(uint64_t address, const Block& block,
               Dropped* dropped = nullptr);
  // Continues from a checkpoint: `totals` with the blocks that belong to them.
  void Resume(const HeapTotals& totals) { totals_ = totals; }
  Blocks& blocks() { return *blocks_; }

  const Blocks& blocks() const { return *blocks_; }
  const HeapTotals& totals() const { return totals_; }
  int64_t live_bytes() const { return totals_.live_bytes; }
  int64_t peak_bytes() const { return totals_.peak_bytes; }
  int64_t allocations() const { return totals_.allocations; }
  int64_t frees() const { return totals_.frees; }
  int64_t unknown_frees() const { return totals_.unknown_frees; }
  int64_t overlaps() const { return totals_.overlaps; }

  Gaps FindGaps() const;
  // Calls visit(address, bytes, const Block* or nullptr for a gap) in order.
  template <typename Visit>
  void ForEach(Visit visit) const;

 private:
  void DropOverlapped(uint64_t address, int64_t bytes, Dropped* dropped);
  std::optional<std::pair<uint64_t, Block>> FindOverlapped(uint64_t address,
                                                           int64_t bytes) const;

  std::unique_ptr<Blocks> blocks_;
  Numbers numbers_;
  HeapTotals totals_;
};

template <typename Visit>
void Heap::ForEach(Visit visit) const {
  uint64_t at = totals_.lowest;
  blocks_->Visit([&](uint64_t address, const Block& block) {
    if (address > at) {
      visit(at, static_cast<int64_t>(address - at), nullptr);
    }
    visit(address, block.bytes, &block);
    at = address + static_cast<uint64_t>(block.bytes);
  });
  if (totals_.highest > at && totals_.lowest <= at) {
    visit(at, static_cast<int64_t>(totals_.highest - at), nullptr);
  }
}

}  // namespace inquest::trace
