// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/sized_blocks.h"

namespace inquest::importers {

uint64_t SizedBlocks::NewPlace(int64_t bytes) {
  const uint64_t place = next_;
  // Even the largest blocks get distinct places for a long time; then places
  // repeat.
  next_ += (static_cast<uint64_t>(bytes) + 511) / 512 * 512 + 512;
  if (next_ >= uint64_t{1} << 62) next_ = uint64_t{1} << 60;
  return place;
}

uint64_t SizedBlocks::Add(int64_t bytes, std::optional<int64_t> address,
                          int64_t tag) {
  if (address) {
    const auto place = static_cast<uint64_t>(*address);
    placed_[place] = bytes;
    return place;
  }
  const uint64_t place = NewPlace(bytes);
  unplaced_[{bytes, tag}].push_back(place);
  return place;
}

// A second free of the same block.
uint64_t SizedBlocks::CountAsBefore(uint64_t place, int64_t bytes) {
  if (!before_places_.insert(place).second) return place;
  before_.push_back({place, bytes, 0});
  before_bytes_ += bytes;
  return place;
}

uint64_t SizedBlocks::Remove(int64_t bytes, std::optional<int64_t> address,
                             int64_t tag) {
  if (address) {
    const auto place = static_cast<uint64_t>(*address);
    return placed_.erase(place) > 0 ? place : CountAsBefore(place, bytes);
  }
  const auto live = unplaced_.find({bytes, tag});
  if (live == unplaced_.end()) return CountAsBefore(NewPlace(bytes), bytes);
  const uint64_t place = live->second.back();
  live->second.pop_back();
  if (live->second.empty()) unplaced_.erase(live);
  return place;
}

void SizedBlocks::AddBefore(int64_t bytes, int64_t tag, uint32_t stack) {
  const uint64_t place = Add(bytes, {}, tag);
  before_.push_back({place, bytes, stack});
  before_bytes_ += bytes;
}

void SizedBlocks::Move(int64_t bytes, int64_t from, int64_t to) {
  const auto live = unplaced_.find({bytes, from});
  if (live == unplaced_.end() || from == to) return;
  const uint64_t place = live->second.back();
  live->second.pop_back();
  if (live->second.empty()) unplaced_.erase(live);
  unplaced_[{bytes, to}].push_back(place);
}

}  // namespace inquest::importers
