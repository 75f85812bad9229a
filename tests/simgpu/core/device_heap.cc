// SPDX-License-Identifier: Apache-2.0
#include "core/device_heap.h"

#include <algorithm>
#include <limits>

namespace simgpu {
namespace {

bool RoundUp(uint64_t bytes, uint64_t granule, uint64_t* rounded) {
  if (bytes > std::numeric_limits<uint64_t>::max() - granule) return false;
  *rounded = (bytes + granule - 1) / granule * granule;
  return true;
}

}  // namespace

DeviceHeap::DeviceHeap(uint64_t base, uint64_t size, Fit fit)
    : base_(base), size_(size), large_(fit), small_(fit) {
  large_.Insert({base, size});
}

std::optional<uint64_t> DeviceHeap::Allocate(uint64_t bytes, uint32_t owner) {
  const bool is_small = bytes <= kSmallLimit;
  uint64_t taken = 0;
  if (bytes == 0 || !RoundUp(bytes, is_small ? kGranule : kPage, &taken)) {
    return std::nullopt;
  }
  const auto address = is_small ? AllocateSmall(taken) : AllocateLarge(taken);
  if (address) live_.emplace(*address, Block{bytes, taken, owner});
  return address;
}

std::optional<uint64_t> DeviceHeap::AllocateLarge(uint64_t taken) {
  const auto found = large_.Find(taken);
  if (!found) return std::nullopt;
  large_.Remove(found->address);
  if (found->size > taken) {
    large_.Insert({found->address + taken, found->size - taken});
  }
  return found->address;
}

std::optional<uint64_t> DeviceHeap::AllocateSmall(uint64_t taken) {
  auto found = small_.Find(taken);
  if (!found) {
    const auto chunk = AllocateLarge(kPage);
    if (!chunk) return std::nullopt;
    small_.Insert({*chunk, kPage});
    found = Range{*chunk, kPage};
  }
  small_.Remove(found->address);
  if (found->size > taken) {
    small_.Insert({found->address + taken, found->size - taken});
  }
  return found->address;
}

bool DeviceHeap::Free(uint64_t address) {
  const auto found = live_.find(address);
  if (found == live_.end()) return false;
  const Block block = found->second;
  live_.erase(found);
  if (block.asked <= kSmallLimit) {
    FreeSmall({address, block.taken});
  } else {
    FreeLarge({address, block.taken});
  }
  return true;
}

// Ranges of neighbouring chunks stay apart: a chunk is returned as a whole.
void DeviceHeap::FreeSmall(Range range) {
  const uint64_t chunk = range.address / kPage * kPage;
  const auto before = small_.Before(range.address);
  if (before && before->address >= chunk && before->end() == range.address) {
    small_.Remove(before->address);
    range = {before->address, before->size + range.size};
  }
  const auto after = small_.After(range.end());
  if (after && after->address == range.end() && after->end() <= chunk + kPage) {
    small_.Remove(after->address);
    range.size += after->size;
  }
  if (range.size == kPage) {
    FreeLarge(range);
  } else {
    small_.Insert(range);
  }
}

void DeviceHeap::FreeLarge(Range range) {
  const auto before = large_.Before(range.address);
  if (before && before->end() == range.address) {
    large_.Remove(before->address);
    range = {before->address, before->size + range.size};
  }
  const auto after = large_.After(range.end());
  if (after && after->address == range.end()) {
    large_.Remove(after->address);
    range.size += after->size;
  }
  large_.Insert(range);
}

std::optional<uint64_t> DeviceHeap::AllocateTop(uint64_t bytes) {
  uint64_t taken = 0;
  if (bytes == 0 || !RoundUp(bytes, kPage, &taken)) return std::nullopt;
  const auto found = large_.FindLast(taken);
  if (!found) return std::nullopt;
  large_.Remove(found->address);
  if (found->size > taken) {
    large_.Insert({found->address, found->size - taken});
  }
  const uint64_t address = found->end() - taken;
  // Remembered as larger than small whatever its size: Free returns pages.
  live_.emplace(address, Block{std::max(bytes, kSmallLimit + 1), taken, 0});
  return address;
}

std::optional<std::vector<Range>> DeviceHeap::TakePages(uint64_t bytes) {
  uint64_t left = 0;
  if (bytes == 0 || !RoundUp(bytes, kPage, &left) || left > large_.total()) {
    return std::nullopt;
  }
  std::vector<Range> pieces;
  while (left > 0) {
    const Range whole = *large_.After(0);
    const Range piece{whole.address, std::min(whole.size, left)};
    large_.Remove(whole.address);
    if (whole.size > piece.size) {
      large_.Insert({piece.end(), whole.size - piece.size});
    }
    pieces.push_back(piece);
    left -= piece.size;
  }
  return pieces;
}

void DeviceHeap::ReturnPages(const std::vector<Range>& pieces) {
  for (const Range& piece : pieces) FreeLarge(piece);
}

std::optional<Range> DeviceHeap::Find(uint64_t address) const {
  auto found = live_.upper_bound(address);
  if (found == live_.begin()) return std::nullopt;
  --found;
  if (address >= found->first + found->second.asked) return std::nullopt;
  return Range{found->first, found->second.asked};
}

std::vector<uint64_t> DeviceHeap::OwnedBy(uint32_t owner) const {
  std::vector<uint64_t> addresses;
  for (const auto& [address, block] : live_) {
    if (block.owner == owner) addresses.push_back(address);
  }
  return addresses;
}

}  // namespace simgpu
