// SPDX-License-Identifier: Apache-2.0
#include "driver/pool.h"

#include <algorithm>

namespace {

constexpr uint64_t kSegment = uint64_t{32} << 20;
constexpr uint64_t kPoolGranule = 512;

uint64_t RoundUp(uint64_t bytes, uint64_t granule) {
  return (bytes + granule - 1) / granule * granule;
}

}  // namespace

CUmemPoolHandle_st::CUmemPoolHandle_st(simgpu::Device* owner, bool standard)
    : device(owner), is_default(standard), free_(simgpu::GetConfig().fit) {}

bool CUmemPoolHandle_st::Grow(uint64_t bytes) {
  const uint64_t size = RoundUp(bytes, kSegment);
  auto address = device->Allocate(size);
  uint64_t got = size;
  if (!address) {  // a smaller segment that just fits may still be available
    got = RoundUp(bytes, simgpu::kPage);
    address = device->Allocate(got);
  }
  if (!address) return false;
  segments_[*address] = got;
  free_.Insert({*address, got});
  reserved += got;
  reserved_high = std::max(reserved_high, reserved);
  return true;
}

std::optional<uint64_t> CUmemPoolHandle_st::Allocate(uint64_t bytes) {
  if (bytes > device->total()) return std::nullopt;
  const uint64_t taken = RoundUp(bytes, kPoolGranule);
  auto found = free_.Find(taken);
  if (!found) {
    Trim(0);  // unused segments may make room for one that fits
    if (!Grow(std::max(taken, uint64_t{2} << 20))) return std::nullopt;
    found = free_.Find(taken);
  }
  free_.Remove(found->address);
  if (found->size > taken) {
    free_.Insert({found->address + taken, found->size - taken});
  }
  blocks_[found->address] = taken;
  used += taken;
  used_high = std::max(used_high, used);
  return found->address;
}

uint64_t CUmemPoolHandle_st::Free(uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return 0;
  simgpu::Range range{address, block->second};
  blocks_.erase(block);
  used -= range.size;
  const uint64_t freed = range.size;
  const auto segment = std::prev(segments_.upper_bound(address));
  const uint64_t segment_end = segment->first + segment->second;
  const auto before = free_.Before(address);
  if (before && before->end() == address && address != segment->first) {
    free_.Remove(before->address);
    range = {before->address, before->size + range.size};
  }
  const auto after = free_.After(range.end());
  if (after && after->address == range.end() && range.end() != segment_end) {
    free_.Remove(after->address);
    range.size += after->size;
  }
  free_.Insert(range);
  return freed;
}

void CUmemPoolHandle_st::Trim(uint64_t keep) {
  for (auto it = segments_.begin(); it != segments_.end() && reserved > keep;) {
    const auto whole = free_.After(it->first);
    if (!whole || whole->address != it->first || whole->size != it->second) {
      ++it;
      continue;
    }
    free_.Remove(it->first);
    device->Free(it->first);
    reserved -= it->second;
    it = segments_.erase(it);
  }
}
