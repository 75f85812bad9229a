#include "analyzer/memory/heap.h"

#include <algorithm>
#include <iterator>

namespace inquest::memory {
namespace {

int64_t WholeChunks(uint64_t address, int64_t bytes) {
  constexpr uint64_t kChunk = kDriverChunk;
  const uint64_t first = (address + kChunk - 1) / kChunk;
  const uint64_t last = (address + static_cast<uint64_t>(bytes)) / kChunk;
  return last > first ? static_cast<int64_t>((last - first) * kChunk) : 0;
}

}  // namespace

void Heap::DropOverlapped(uint64_t address, int64_t bytes) {
  const uint64_t end = address + static_cast<uint64_t>(bytes);
  auto it = blocks_.upper_bound(address);
  if (it != blocks_.begin()) {
    const auto before = std::prev(it);
    const auto& block = before->second;
    if (before->first + static_cast<uint64_t>(block.bytes) > address) {
      it = before;
    }
  }
  while (it != blocks_.end() && it->first < end) {
    ++overlaps_;
    live_bytes_ -= it->second.bytes;
    it = blocks_.erase(it);
  }
}

void Heap::Allocate(uint64_t address, const Block& block) {
  DropOverlapped(address, block.bytes);
  blocks_[address] = block;
  lowest_ = std::min(lowest_, address);
  highest_ = std::max(highest_, address + static_cast<uint64_t>(block.bytes));
  live_bytes_ += block.bytes;
  ++allocations_;
  if (live_bytes_ > peak_bytes_) {
    peak_bytes_ = live_bytes_;
    peak_time_ = block.time;
  }
}

std::optional<Block> Heap::Free(uint64_t address) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) {
    ++unknown_frees_;
    return {};
  }
  const Block block = found->second;
  blocks_.erase(found);
  live_bytes_ -= block.bytes;
  ++frees_;
  return block;
}

void Heap::Restore(uint64_t address, const Block& block) {
  DropOverlapped(address, block.bytes);
  blocks_[address] = block;
  live_bytes_ += block.bytes;
  --frees_;
}

Gaps Heap::FindGaps() const {
  Gaps gaps;
  ForEach([&gaps](uint64_t address, int64_t bytes, const Block* block) {
    if (block != nullptr) return;
    gaps.total += bytes;
    gaps.whole_chunks += WholeChunks(address, bytes);
    gaps.largest = std::max(gaps.largest, bytes);
    ++gaps.count;
  });
  return gaps;
}

}  // namespace inquest::memory
