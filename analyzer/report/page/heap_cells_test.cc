// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/page/heap_cells.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/catch_compat.h"

namespace inquest::report {
namespace {

HeapCell Piece(uint64_t address, int64_t bytes, bool live) {
  HeapCell cell;
  cell.address = address;
  cell.bytes = bytes;
  cell.state = live ? CellState::kLive : CellState::kFree;
  cell.live_bytes = live ? bytes : 0;
  return cell;
}

std::vector<HeapCell> SomeHeap(size_t pieces) {
  std::mt19937 random(7);
  std::vector<HeapCell> cells;
  uint64_t address = 0x7f0000000000;
  for (size_t i = 0; i < pieces; ++i) {
    const int64_t bytes = 512 * (1 + static_cast<int64_t>(random() % 64));
    cells.push_back(Piece(address, bytes, random() % 2 == 0));
    address += static_cast<uint64_t>(bytes);
  }
  return cells;
}

int64_t LiveIn(const std::vector<HeapCell>& cells) {
  return std::accumulate(
      cells.begin(), cells.end(), int64_t{0},
      [](int64_t sum, const HeapCell& cell) { return sum + cell.live_bytes; });
}

int64_t PiecesIn(const std::vector<HeapCell>& cells) {
  return std::accumulate(
      cells.begin(), cells.end(), int64_t{0},
      [](int64_t sum, const HeapCell& cell) { return sum + cell.pieces; });
}

TEST_CASE("a heap of few pieces stays as it is", "[page]") {
  const auto cells = SomeHeap(100);
  REQUIRE(JoinSmall(cells, 100).size() == 100);
}

TEST_CASE("joined pieces keep their sums, their order and their place",
          "[page]") {
  const auto cells = SomeHeap(50'000);
  const auto joined = JoinSmall(cells, 1000);
  REQUIRE(joined.size() <= 1000);
  REQUIRE(joined.size() > 100);
  REQUIRE(LiveIn(joined) == LiveIn(cells));
  REQUIRE(PiecesIn(joined) == 50'000);
  uint64_t at = cells.front().address;
  for (const HeapCell& cell : joined) {
    REQUIRE(cell.address == at);
    at += static_cast<uint64_t>(cell.bytes);
  }
}

TEST_CASE("the largest hole and blocks in the way are never joined", "[page]") {
  auto cells = SomeHeap(20'000);
  HeapCell& hole = cells[12'345];
  hole = Piece(hole.address, 64 << 20, false);
  for (size_t i = 12'346; i < cells.size(); ++i) {
    cells[i].address += 64 << 20;
  }
  cells[777].named = true;
  const auto joined = JoinSmall(cells, 500);
  REQUIRE(std::any_of(joined.begin(), joined.end(), [&](const auto& cell) {
    return cell.bytes == 64 << 20 && cell.pieces == 1 &&
           cell.state == CellState::kFree;
  }));
  REQUIRE(std::any_of(joined.begin(), joined.end(), [&](const auto& cell) {
    return cell.named && cell.address == cells[777].address &&
           cell.bytes == cells[777].bytes;
  }));
}

}  // namespace
}  // namespace inquest::report
