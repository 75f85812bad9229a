// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/block_space.h"

#include <algorithm>

namespace inquest::ruletests {
namespace {

constexpr uint64_t kAlignment = 512;
constexpr uint64_t kChunk = 2 << 20;
constexpr uint64_t kBase = 0x7f0000000000;

uint64_t Rounded(uint64_t bytes) {
  return (std::max<uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment *
         kAlignment;
}

}  // namespace

BlockSpace::BlockSpace(int64_t bytes) : bytes_(std::max<int64_t>(0, bytes)) {
  if (bytes_ > 0) free_[kBase] = kBase + static_cast<uint64_t>(bytes_);
}

std::optional<uint64_t> BlockSpace::Allocate(int64_t bytes) {
  const uint64_t size = Rounded(static_cast<uint64_t>(bytes));
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    const auto [begin, end] = *at;
    if (end - begin < size) continue;
    free_.erase(at);
    if (end - begin > size) free_[begin + size] = end;
    live_[begin] = begin + size;
    return begin;
  }
  return {};
}

void BlockSpace::Free(uint64_t address) {
  const auto block = live_.find(address);
  if (block == live_.end()) return;
  auto [begin, end] = *block;
  live_.erase(block);
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && next->first == end) {
    end = next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto before = std::prev(next);
    if (before->second == begin) {
      before->second = end;
      return;
    }
  }
  free_[begin] = end;
}

int64_t BlockSpace::FreeBytes() const {
  uint64_t used = 0;
  uint64_t counted = 0;  // end of the last chunk that was counted
  for (const auto& [begin, end] : live_) {
    const uint64_t first = std::max(counted, begin / kChunk * kChunk);
    const uint64_t last = (end + kChunk - 1) / kChunk * kChunk;
    if (last <= first) continue;
    used += last - first;
    counted = last;
  }
  return std::max<int64_t>(0, bytes_ - static_cast<int64_t>(used));
}

}  // namespace inquest::ruletests
