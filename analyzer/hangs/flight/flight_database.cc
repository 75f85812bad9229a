// SPDX-License-Identifier: Apache-2.0
// The collectives of PyTorch's debug server (fr_trace_*.txt): a table with a
// column for each field of a Collective; see flight_text.h. Numbers stand to
// the right of their column, texts to the left, and a cell may be empty: a cell
// is of the column below whose name it stands.
#include <algorithm>

#include "analyzer/hangs/common/who.h"
#include "analyzer/hangs/flight/flight_text.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

struct Cell {
  size_t begin = 0;
  std::string_view text;
  size_t end() const { return begin + text.size(); }
};

// Cells are divided by two blanks, names of columns by one.
std::vector<Cell> CellsOf(std::string_view line, std::string_view gap) {
  std::vector<Cell> cells;
  for (size_t at = line.find_first_not_of(' '); at < line.size();) {
    const size_t end = std::min(line.find(gap, at), line.size());
    cells.push_back({at, line.substr(at, end - at)});
    at = line.find_first_not_of(' ', end);
  }
  return cells;
}

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsDigit);
}

// "{6: Collective(…), 7: Collective(…)}"
std::set<int64_t> KeysOf(std::string_view text) {
  constexpr std::string_view kValue = ": Collective(";
  std::set<int64_t> keys;
  for (size_t at = text.find(kValue); at != text.npos;
       at = text.find(kValue, at + 1)) {
    size_t begin = at;
    while (begin > 0 && IsDigit(text[begin - 1])) --begin;
    keys.merge(NumbersIn(text.substr(begin, at - begin)));
  }
  return keys;
}

}  // namespace

bool FlightText::DatabaseHead(std::string_view text) {
  if (text.find("collective_seq_id") == text.npos ||
      text.find("collective_name") == text.npos) {
    return false;
  }
  fields_.clear();
  for (const Cell& cell : CellsOf(text, " ")) {
    fields_.push_back({std::string(cell.text), cell.begin, cell.end()});
  }
  return true;
}

bool FlightText::Database(const ingest::LogLine& line) {
  if (DatabaseHead(line.text)) return true;
  if (fields_.empty()) return false;
  const std::vector<Cell> cells = CellsOf(line.text, "  ");
  if (cells.empty() || !IsNumber(cells.front().text)) {
    fields_.clear();
    return false;
  }
  FlightItem item = ItemAt("missing", line);
  std::set<int64_t> other;
  for (const Cell& cell : cells) {
    const auto field = std::ranges::find_if(fields_, [&](const auto& one) {
      return cell.begin < one.end && one.begin < cell.end();
    });
    if (field == fields_.end()) continue;
    FillField(field->name, cell.text, &item);
    if (field->name == "mismatch_collectives") other = KeysOf(cell.text);
  }
  if (item.who.empty() && !other.empty()) {
    item.kind = "mismatch";
    item.who = std::move(other);
  }
  if (!item.who.empty()) Keep(std::move(item));
  return true;
}

void FlightText::FillField(std::string_view name, std::string_view text,
                           FlightItem* item) {
  if (name == "missing_ranks" && text.starts_with('{')) {
    item->who = NumbersIn(text.substr(0, text.find('}')));
  } else if (name == "expected_ranks") {
    item->members = std::ssize(NumbersIn(text));
  } else if (name == "collective_seq_id" && IsNumber(text)) {
    item->seqnum = *NumbersIn(text).begin();
  } else if (name == "collective_name") {
    item->optype = text.substr(text.find(':') + 1);
  } else if (name == "pg_desc" || (name == "group_id" && item->group.empty())) {
    item->group = text;
  }
}

}  // namespace inquest::hangs
