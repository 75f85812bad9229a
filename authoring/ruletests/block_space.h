// SPDX-License-Identifier: Apache-2.0
// The memory of one synthetic device: a simple first-fit allocator over its
// bytes, which grants or refuses the requests of a test's series. Sizes in
// bytes; blocks are aligned as the driver aligns them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace inquest::ruletests {

class BlockSpace {
 public:
  explicit BlockSpace(int64_t bytes);

  // The address; empty if no free range is large enough.
  std::optional<uint64_t> Allocate(int64_t bytes);
  void Free(uint64_t address);

  // As cuMemGetInfo counts it: a driver chunk with a live block is used.
  int64_t FreeBytes() const;

 private:
  int64_t bytes_;
  std::map<uint64_t, uint64_t> free_;  // begin -> end
  std::map<uint64_t, uint64_t> live_;  // begin -> end
};

}  // namespace inquest::ruletests
