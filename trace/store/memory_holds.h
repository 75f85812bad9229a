// SPDX-License-Identifier: Apache-2.0
// Keeps track of what holds physical VMM memory besides its handle.
// cuMemRelease releases one handle; the memory is freed when every other handle
// (cuMemRetainAllocationHandle) is released and every mapping undone, too.
// (CUDA driver API, cuMemRelease: "the memory allocation will be freed when all
// outstanding mappings to the memory are unmapped and when all outstanding
// references to the handle … are also released".) Used by the ledger
// (ledger.h), stored by a fold in the tables checkpoint_mapping and
// checkpoint_hold. Memory is that of the mappings in place. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace inquest::trace {

class MemoryHolds {
 public:
  void Retain(uint64_t handle) { ++holds_[handle]; }
  void Map(uint64_t address, uint64_t handle);
  // The handles whose mappings began in the range, one entry per mapping.
  std::vector<uint64_t> Unmap(uint64_t address, int64_t bytes);
  // Whether something besides the handle held the memory; if so, one such hold
  // is removed and the memory stays.
  bool Drop(uint64_t handle);
  bool empty() const { return holds_.empty() && mappings_.empty(); }

  // mappings(): handle by address. holds(): number of holds besides the first,
  // by handle.
  std::map<uint64_t, uint64_t>& mappings() { return mappings_; }
  std::map<uint64_t, int64_t>& holds() { return holds_; }
  const std::map<uint64_t, uint64_t>& mappings() const { return mappings_; }
  const std::map<uint64_t, int64_t>& holds() const { return holds_; }

 private:
  std::map<uint64_t, uint64_t> mappings_;
  std::map<uint64_t, int64_t> holds_;
};

}  // namespace inquest::trace
