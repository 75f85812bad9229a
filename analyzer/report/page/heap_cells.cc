// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/page/heap_cells.h"

#include <algorithm>

#include "base/capped.h"

namespace inquest::report {
namespace {

bool CellMayJoin(const HeapCell& cell, int64_t below) {
  return cell.bytes < below && !cell.named;
}

void JoinCell(HeapCell* into, const HeapCell& next) {
  if (into->state != next.state) into->state = CellState::kMixed;
  into->bytes = static_cast<int64_t>(next.address - into->address) + next.bytes;
  into->pieces += next.pieces;
  into->live_bytes = AddCapped(into->live_bytes, next.live_bytes);
  into->age = std::max(into->age, next.age);
  if (next.largest > into->largest) {
    into->largest = next.largest;
    into->site = next.site;
  }
}

// Runs of cells smaller than `below` become one each, up to a size that keeps
// their place in the picture true.
std::vector<HeapCell> JoinedCells(const std::vector<HeapCell>& cells,
                                  int64_t below, int64_t longest) {
  std::vector<HeapCell> joined;
  int64_t run = 0;  // bytes in the cell that is being joined; 0: none
  for (const HeapCell& cell : cells) {
    const bool may = CellMayJoin(cell, below);
    if (may && run > 0 && run < longest) {
      JoinCell(&joined.back(), cell);
      run = joined.back().bytes;
    } else {
      joined.push_back(cell);
      run = may ? cell.bytes : 0;
    }
  }
  return joined;
}

}  // namespace

std::vector<HeapCell> JoinSmall(std::vector<HeapCell> cells, size_t most) {
  int64_t all = 0;
  for (HeapCell& cell : cells) {
    if (cell.state != CellState::kNoMemory) all = AddCapped(all, cell.bytes);
    cell.largest = cell.live_bytes;
  }
  constexpr int64_t kLeast = 512;
  all = std::min(all, int64_t{1} << 60);
  std::vector<HeapCell> joined = cells;
  // Addresses of an untrusted trace may be any distance apart.
  constexpr int64_t kMax = int64_t{1} << 61;
  for (int64_t below = kLeast; joined.size() > most && below < kMax;
       below *= 2) {
    joined = JoinedCells(
        cells, below,
        std::max(below,
                 2 * all / static_cast<int64_t>(std::max<size_t>(most, 1))));
  }
  return joined;
}

}  // namespace inquest::report
