// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/held_ranges.h"

#include <iterator>

namespace inquest::importers {
namespace {

uint64_t EndOf(const AddressRange& range) {
  return range.address + static_cast<uint64_t>(range.bytes);
}

void AddPart(uint64_t from, uint64_t to, uint32_t tag,
             std::vector<AddressRange>* parts) {
  if (from < to) parts->push_back({from, static_cast<int64_t>(to - from), tag});
}

}  // namespace

void HeldRanges::Add(const AddressRange& range) {
  if (range.bytes <= 0) return;
  const Removal overlapped = Remove(range.address, range.bytes);
  for (const AddressRange& rest : overlapped.rest) ranges_[rest.address] = rest;
  ranges_[range.address] = range;
}

HeldRanges::Removal HeldRanges::Remove(uint64_t address, int64_t bytes) {
  Removal removal;
  const uint64_t end = address + static_cast<uint64_t>(bytes);
  uint64_t covered = address;
  auto it = ranges_.upper_bound(address);
  if (it != ranges_.begin() && EndOf(std::prev(it)->second) > address) --it;
  while (it != ranges_.end() && it->first < end) {
    const AddressRange range = it->second;
    removal.gone.push_back(range);
    AddPart(covered, range.address, 0, &removal.unknown);
    AddPart(range.address, address, range.tag, &removal.rest);
    AddPart(end, EndOf(range), range.tag, &removal.rest);
    covered = EndOf(range);
    it = ranges_.erase(it);
  }
  AddPart(covered, end, 0, &removal.unknown);
  return removal;
}

}  // namespace inquest::importers
