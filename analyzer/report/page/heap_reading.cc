// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/page/heap_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kCellsDrawn = 5000;
constexpr int64_t kPiecesRead = 1'000'000;
constexpr size_t kOperationsNamed = 300;

struct PieceRow {
  uint64_t address = 0;
  int64_t bytes = 0;
  std::string state;
  std::optional<int64_t> site, age;
  std::optional<std::string> op;
};

// No device has such addresses: importers number memory that has none.
constexpr uint64_t kMadeUp = uint64_t{1} << 57;

HeapCell CellOf(const PieceRow& row, std::optional<int64_t> largest_free) {
  HeapCell cell;
  cell.address = row.address;
  cell.bytes = row.bytes;
  cell.site = row.site.value_or(0);
  cell.age = row.age.value_or(0);
  if (row.state == "free") {
    // No piece that could be handed out is longer than this one.
    const bool beyond = largest_free && row.bytes > *largest_free;
    cell.state = beyond ? CellState::kNoMemory : CellState::kFree;
    return cell;
  }
  cell.state = row.state == "pending" ? CellState::kPending : CellState::kLive;
  cell.live_bytes = row.bytes;
  return cell;
}

// The addresses between pieces hold nothing that is known.
void AddGap(const HeapCell& next, std::vector<HeapCell>* cells) {
  if (cells->empty()) return;
  const uint64_t end =
      cells->back().address + static_cast<uint64_t>(cells->back().bytes);
  if (next.address <= end) return;
  HeapCell gap;
  gap.address = end;
  gap.bytes = static_cast<int64_t>(
      std::min<uint64_t>(next.address - end, uint64_t{1} << 62));
  gap.state = CellState::kNoMemory;
  cells->push_back(gap);
}

// [bytes, state, site, age in ms, pieces, live bytes, named]; what is usual at
// the end is left out.
json CellData(const HeapCell& cell) {
  json data = {cell.bytes, static_cast<int>(cell.state)};
  if (cell.state == CellState::kFree || cell.state == CellState::kNoMemory) {
    if (cell.pieces > 1) data.insert(data.end(), {0, 0, cell.pieces});
    return data;
  }
  data.push_back(cell.site);
  data.push_back(cell.age / 1'000'000);
  if (cell.pieces > 1 || cell.named) {
    data.insert(data.end(), {cell.pieces, cell.live_bytes});
    if (cell.named) data.push_back(1);
  }
  return data;
}

}  // namespace

int64_t Operations::Number(const std::string& name) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  if (names_.size() == kOperationsNamed) return 0;
  names_.push_back(name);
  return numbers_[name] = -static_cast<int64_t>(names_.size());
}

Expected<HeapOfPage> ReadHeap(const PageSource& source, const std::string& sql,
                              std::optional<int64_t> largest_free,
                              const std::set<uint64_t>& named) {
  ASSIGN_OR_RETURN(Statement row,
                   source.store->db().Prepare(sql + " LIMIT " +
                                              std::to_string(kPiecesRead)));
  HeapOfPage heap;
  for (PieceRow piece; row.Next(&piece.address, &piece.bytes, &piece.state,
                                &piece.site, &piece.age, &piece.op);) {
    if (piece.address >= kMadeUp) return HeapOfPage();
    if (piece.bytes <= 0) continue;
    piece.bytes = std::min(piece.bytes, static_cast<int64_t>(kMadeUp));
    HeapCell cell = CellOf(piece, largest_free);
    cell.named = named.contains(piece.address);
    if (cell.site == 0 && piece.op) cell.site = heap.ops.Number(*piece.op);
    AddGap(cell, &heap.cells);
    heap.cells.push_back(cell);
  }
  RETURN_IF_ERROR(row.status());
  return heap;
}

void AddHeap(const HeapOfPage& read, json heap, json* heaps) {
  const std::vector<HeapCell>& cells = read.cells;
  if (cells.empty()) return;
  json all = json::array();
  for (const HeapCell& cell : JoinSmall(cells, kCellsDrawn)) {
    all.push_back(CellData(cell));
  }
  heap["pieces"] = cells.size();
  heap["cells"] = std::move(all);
  heap["first"] = fmt::format("{:#x}", cells.front().address);
  if (!read.ops.names().empty()) heap["ops"] = read.ops.names();
  heaps->push_back(std::move(heap));
}

}  // namespace inquest::report
