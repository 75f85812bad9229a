// SPDX-License-Identifier: Apache-2.0
// Address ranges that are held on a device and may be released in other pieces
// than they were taken in (segments that grow and shrink). Adjacent ranges are
// not merged. Cost: O(log ranges) for each range affected. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace inquest::importers {

struct AddressRange {
  uint64_t address = 0;
  int64_t bytes = 0;
  uint32_t tag = 0;  // the caller's
};

class HeldRanges {
 public:
  void Add(const AddressRange& range);

  struct Removal {
    std::vector<AddressRange> gone;     // whole ranges, as they were held
    std::vector<AddressRange> rest;     // the parts of them that are still held
    std::vector<AddressRange> unknown;  // parts that were not held
  };
  Removal Remove(uint64_t address, int64_t bytes);

  const std::map<uint64_t, AddressRange>& ranges() const { return ranges_; }

 private:
  std::map<uint64_t, AddressRange> ranges_;
};

}  // namespace inquest::importers
