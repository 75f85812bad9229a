// SPDX-License-Identifier: Apache-2.0
#include "trace/store/memory_holds.h"

#include <algorithm>

namespace inquest::trace {

void MemoryHolds::Map(uint64_t address, uint64_t handle) {
  mappings_[address] = handle;
  ++holds_[handle];
}

std::vector<uint64_t> MemoryHolds::Unmap(uint64_t address, int64_t bytes) {
  std::vector<uint64_t> handles;
  const uint64_t length = static_cast<uint64_t>(std::max<int64_t>(bytes, 1));
  const auto begin = mappings_.lower_bound(address);
  auto end = begin;
  for (; end != mappings_.end() && end->first - address < length; ++end) {
    handles.push_back(end->second);
  }
  mappings_.erase(begin, end);
  return handles;
}

bool MemoryHolds::Drop(uint64_t handle) {
  const auto found = holds_.find(handle);
  if (found == holds_.end()) return false;
  if (--found->second == 0) holds_.erase(found);
  return true;
}

}  // namespace inquest::trace
