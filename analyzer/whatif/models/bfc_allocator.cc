// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/models/bfc_allocator.h"

#include <utility>

namespace inquest::whatif {
namespace {

constexpr int64_t kMinAllocation = 256;
constexpr int64_t kFirstRegion = 2 << 20;
constexpr int64_t kMaxWaste = 128 << 20;
constexpr float kBackpedal = 0.9F;
constexpr int64_t kMiB = 1 << 20;

}  // namespace

int64_t TensorFlowLimit(int64_t free_bytes, int compute_capability_major) {
  const int64_t system = free_bytes < (int64_t{2} << 30) ? 225 * kMiB
                         : compute_capability_major <= 6 ? 500 * kMiB
                         : compute_capability_major <= 7 ? 1050 * kMiB
                         : compute_capability_major <= 8 ? 1536 * kMiB
                                                         : 1800 * kMiB;
  return std::max<int64_t>(0, free_bytes - system);
}

BfcAllocator::BfcAllocator(Driver* driver, const BfcSettings& settings)
    : driver_(driver),
      settings_(settings),
      next_region_(RoundUp(settings.allow_growth
                               ? std::min(settings.limit, kFirstRegion)
                               : settings.limit,
                           kMinAllocation)),
      most_waste_(
          settings.fragmentation_fraction > 0
              ? static_cast<int64_t>(settings.fragmentation_fraction *
                                     static_cast<double>(settings.limit))
              : kMaxWaste) {}

BfcAllocator::Index BfcAllocator::NewChunk(uint64_t address, int64_t bytes,
                                           uint64_t region) {
  auto index = static_cast<Index>(chunks_.size());
  if (unused_.empty()) {
    chunks_.emplace_back();
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  chunks_[index] = {address, bytes, kNone, kNone, region, false};
  return index;
}

void BfcAllocator::InsertFree(Index chunk) {
  free_.insert({chunks_[chunk].bytes, chunks_[chunk].address, chunk});
}

void BfcAllocator::EraseFree(Index chunk) {
  free_.erase({chunks_[chunk].bytes, chunks_[chunk].address, chunk});
}

bool BfcAllocator::ShouldSplit(int64_t chunk, int64_t rounded) const {
  return chunk >= rounded * 2 || chunk - rounded >= most_waste_;
}

void BfcAllocator::Split(Index chunk, int64_t bytes) {
  const Index rest =
      NewChunk(chunks_[chunk].address + static_cast<uint64_t>(bytes),
               chunks_[chunk].bytes - bytes, chunks_[chunk].region);
  Chunk& first = chunks_[chunk];
  first.bytes = bytes;
  chunks_[rest].prev = chunk;
  chunks_[rest].next = first.next;
  if (first.next != kNone) chunks_[first.next].prev = rest;
  first.next = rest;
  InsertFree(rest);
}

// FindChunkPtr
BfcAllocator::Index BfcAllocator::FindChunk(int64_t rounded) {
  const auto found = free_.lower_bound({rounded, 0, 0});
  if (found == free_.end()) return kNone;
  const Index chunk = found->chunk;
  free_.erase(found);
  if (ShouldSplit(chunks_[chunk].bytes, rounded)) Split(chunk, rounded);
  return chunk;
}

void BfcAllocator::AddRegion(uint64_t address, int64_t bytes) {
  totals_.Reserve(bytes, 1);
  regions_[address] = {address, bytes, 0};
  free_regions_.insert(address);
  free_region_bytes_ += bytes;
  InsertFree(NewChunk(address, bytes, address));
}

bool BfcAllocator::Extend(int64_t rounded) {
  const int64_t left =
      (settings_.limit - totals_.reserved) / kMinAllocation * kMinAllocation;
  if (rounded > left) return false;
  bool increased = false;
  while (rounded > next_region_) {
    next_region_ *= 2;
    increased = true;
  }
  int64_t bytes = std::min(next_region_, left);
  auto address = driver_->Allocate(bytes);
  while (!address) {
    const int64_t less =
        RoundUp(static_cast<int64_t>(static_cast<float>(bytes) * kBackpedal),
                kMinAllocation);
    bytes = less >= bytes ? bytes - kMinAllocation : less;
    if (bytes < rounded) return false;
    address = driver_->Allocate(bytes);
  }
  // Clamped, because a region can be released and taken again any number of
  // times.
  if (!increased) next_region_ = std::min(next_region_ * 2, 4 * kBoundless);
  AddRegion(*address, bytes);
  return true;
}

// DeallocateFreeRegions
bool BfcAllocator::ReleaseFreeRegions(int64_t rounded) {
  if (!settings_.garbage_collection || free_regions_.empty()) return false;
  const int64_t available =
      settings_.limit - totals_.reserved + free_region_bytes_;
  if (rounded > available) return false;
  ++totals_.released;
  for (const uint64_t address : free_regions_) {
    const auto region = regions_.find(address);
    // The region is completely free, and adjacent free memory is one chunk.
    const auto chunk = free_.find({region->second.bytes, address, 0});
    unused_.push_back(chunk->chunk);
    free_.erase(chunk);
    driver_->Free(address);
    totals_.Reserve(-region->second.bytes, -1);
    regions_.erase(region);
  }
  free_regions_.clear();
  free_region_bytes_ = 0;
  return true;
}

// AllocateRawInternal
bool BfcAllocator::Allocate(uint32_t block, int64_t bytes, uint16_t) {
  if (bytes > kBoundless) return false;
  const int64_t rounded = RoundUp(std::max<int64_t>(bytes, 1), kMinAllocation);
  Index found = FindChunk(rounded);
  if (found == kNone && Extend(rounded)) found = FindChunk(rounded);
  if (found == kNone && ReleaseFreeRegions(rounded) && Extend(rounded)) {
    found = FindChunk(rounded);
  }
  if (found == kNone) return false;
  Chunk& chunk = chunks_[found];
  chunk.in_use = true;
  Region& region = regions_[chunk.region];
  if (region.in_use++ == 0) {
    free_regions_.erase(region.address);
    free_region_bytes_ -= region.bytes;
  }
  if (handed_out_.size() <= block) handed_out_.resize(block + 1, kNone);
  handed_out_[block] = found;
  totals_.Allocate(chunk.bytes);
  return true;
}

// Joins a chunk with the free one after it.
BfcAllocator::Index BfcAllocator::MergeNext(Index chunk) {
  const Index gone = chunks_[chunk].next;
  chunks_[chunk].bytes += chunks_[gone].bytes;
  chunks_[chunk].next = chunks_[gone].next;
  if (chunks_[chunk].next != kNone) chunks_[chunks_[chunk].next].prev = chunk;
  unused_.push_back(gone);
  return chunk;
}

// DeallocateRawInternal, TryToCoalesce
void BfcAllocator::Free(uint32_t block) {
  if (block >= handed_out_.size() || handed_out_[block] == kNone) return;
  Index chunk = std::exchange(handed_out_[block], kNone);
  chunks_[chunk].in_use = false;
  totals_.allocated -= chunks_[chunk].bytes;
  Region& region = regions_[chunks_[chunk].region];
  if (--region.in_use == 0) {
    free_regions_.insert(region.address);
    free_region_bytes_ += region.bytes;
  }
  const Index next = chunks_[chunk].next;
  if (next != kNone && !chunks_[next].in_use) {
    EraseFree(next);
    MergeNext(chunk);
  }
  const Index prev = chunks_[chunk].prev;
  if (prev != kNone && !chunks_[prev].in_use) {
    EraseFree(prev);
    chunk = MergeNext(prev);
  }
  InsertFree(chunk);
}

int64_t BfcAllocator::LargestFree() const {
  return free_.empty() ? 0 : free_.rbegin()->bytes;
}

void BfcAllocator::VisitSegments(const SegmentVisitor& visit) const {
  for (const auto& [address, region] : regions_) visit(address, region.bytes);
}

}  // namespace inquest::whatif
