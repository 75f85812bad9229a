// SPDX-License-Identifier: Apache-2.0
#include "analyzer/whatif/models/driver.h"

#include <algorithm>

namespace inquest::whatif {
namespace {

constexpr int64_t kDriverGranule = 512;
constexpr int64_t kLargestSmall = 1 << 20;
constexpr int64_t kAddresses = int64_t{1} << 46;  // more than any device needs

uint64_t PageOf(uint64_t address) {
  return address / kPage * kPage;
}

// The position of an address in small_, in which adjacent pages must not be
// merged, because each is released separately.
uint64_t SmallPosition(uint64_t address) {
  return PageOf(address) + address;
}

uint64_t Together(uint64_t apart) {
  return apart - PageOf(apart / 2);
}

int64_t SmallSize(int64_t bytes) {
  return RoundUp(std::max<int64_t>(bytes, 1), kDriverGranule);
}

}  // namespace

Driver::Driver(const DriverOptions& options) : options_(options) {
  options_.capacity = options_.capacity / kPage * kPage;
  space_.Add(options_.base,
             options_.one_piece ? options_.capacity : kAddresses);
}

std::optional<uint64_t> Driver::TakeRange(int64_t bytes) {
  if (used_ + bytes > options_.capacity) return {};
  const auto range = space_.FirstFit(bytes);
  if (!range) return {};
  space_.Take(range->address, bytes);
  used_ += bytes;
  return range->address;
}

void Driver::GiveRange(uint64_t address, int64_t bytes) {
  space_.Add(address, bytes);
  used_ -= bytes;
}

std::optional<uint64_t> Driver::AllocateSmall(int64_t bytes) {
  auto range = small_.FirstFit(bytes);
  if (!range) {
    const auto page = TakeRange(kPage);
    if (!page) return {};
    small_.Add(SmallPosition(*page), kPage);
    range = FreeRange{SmallPosition(*page), kPage};
  }
  small_.Take(range->address, bytes);
  const uint64_t address = Together(range->address);
  live_[PageOf(address)] += bytes;
  return address;
}

std::optional<uint64_t> Driver::Allocate(int64_t bytes) {
  if (bytes > kBoundless) return {};
  const bool small = bytes <= kLargestSmall;
  const auto address = small ? AllocateSmall(SmallSize(bytes))
                             : TakeRange(RoundUp(bytes, kPage));
  if (address) blocks_[*address] = bytes;
  return address;
}

bool Driver::Place(uint64_t address, int64_t bytes) {
  const uint64_t begin = PageOf(address);
  const int64_t whole =
      RoundUp(static_cast<int64_t>(address - begin) + bytes, kPage);
  if (used_ + whole > options_.capacity) return false;
  if (blocks_.contains(address)) return false;
  if (options_.one_piece) {
    const auto range = space_.Find(begin);
    if (!range || range->address + static_cast<uint64_t>(range->bytes) <
                      begin + static_cast<uint64_t>(whole)) {
      return false;
    }
  }
  space_.Take(begin, whole);
  used_ += whole;
  blocks_[address] = bytes;
  return true;
}

void Driver::FreeSmall(uint64_t address, int64_t bytes) {
  const uint64_t page = PageOf(address);
  const auto live = live_.find(page);
  if (live == live_.end()) return;
  small_.Add(SmallPosition(address), bytes);
  live->second -= bytes;
  if (live->second > 0) return;
  live_.erase(live);
  small_.Take(SmallPosition(page), kPage);
  GiveRange(page, kPage);
}

void Driver::Free(uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return;
  const int64_t bytes = block->second;
  blocks_.erase(block);
  if (bytes <= kLargestSmall) return FreeSmall(address, SmallSize(bytes));
  GiveRange(address, RoundUp(bytes, kPage));
}

bool Driver::TakePages(int64_t pages) {
  if (used_ + pages * kPage > options_.capacity) return false;
  if (!options_.one_piece) {
    used_ += pages * kPage;
    return true;
  }
  for (int64_t i = 0; i < pages; ++i) {
    const auto page = TakeRange(kPage);
    if (!page) {
      GivePages(i);
      return false;
    }
    loose_.push_back(*page);
  }
  return true;
}

void Driver::GivePages(int64_t pages) {
  if (!options_.one_piece) {
    used_ -= pages * kPage;
    return;
  }
  for (int64_t i = 0; i < pages && !loose_.empty(); ++i) {
    GiveRange(loose_.back(), kPage);
    loose_.pop_back();
  }
}

int64_t Driver::LargestFree() const {
  const int64_t left = options_.capacity - used_;
  return options_.one_piece ? std::min(left, space_.largest()) : left;
}

}  // namespace inquest::whatif
