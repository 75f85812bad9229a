// SPDX-License-Identifier: Apache-2.0
// A heap as a picture can show it: pieces in the order of addresses, small
// neighbours joined until few enough are left. Large pieces and holes are never
// joined, nor are those that someone asked for by name, so the largest hole
// stays exact. Internal to page/. Bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace inquest::report {

enum class CellState : int {
  kFree = 0,
  kLive = 1,
  kPending = 2,  // given back, but a stream may still use it
  kMixed = 3,    // small pieces, live and free
  kNoMemory = 4  // addresses between, behind which there is no memory
};

struct HeapCell {
  uint64_t address = 0;
  int64_t bytes = 0;
  CellState state = CellState::kFree;
  int64_t site = 0;  // of a live one, 0 unknown; of a joined one the largest's
  int64_t age = 0;   // nanoseconds; of a joined one the oldest's
  int64_t pieces = 1;
  int64_t live_bytes = 0;
  int64_t largest = 0;  // piece of it, whose site is shown
  bool named = false;   // never joined: a block in the way
};

// `cells` must be in the order of addresses. What is not memory joins with its
// neighbours if it is as small as they are.
std::vector<HeapCell> JoinSmall(std::vector<HeapCell> cells, size_t most);

}  // namespace inquest::report
