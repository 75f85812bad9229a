// SPDX-License-Identifier: Apache-2.0
// The table of torchfrtrace -j, and the fact's rows; see flight_text.h.
#include <re2/re2.h>

#include <algorithm>

#include "analyzer/hangs/common/quoted_lines.h"
#include "analyzer/hangs/common/who.h"
#include "analyzer/hangs/flight/flight_text.h"
#include "base/rows.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

using facts::NullIfEmpty;

struct FlightRow {
  template <class V>
  void Columns(V& v) {
    v("kind", kind);
    v("source", source);
    v("line", line);
    v("seqnum", seqnum);
    v("group_name", group);
    v("optype", optype);
    v("who", who);
    v("ranks", ranks);
    v("rank", rank);
    v("members", members);
    v("differs", differs);
    v("expected", expected);
    v("found", found);
    v("site", site);
    v("event", event);
  }
  std::string kind;
  int64_t source = 0, line = 0;
  std::optional<int64_t> seqnum;
  std::optional<std::string> group, optype, who;
  int64_t ranks = 0;
  std::optional<int64_t> rank, members;
  std::optional<std::string> differs, expected, found, site;
  std::optional<int64_t> event;
};

// The name of the operation: what precedes its sizes and state.
std::string CallOf(std::string_view cell) {
  const size_t state = cell.find("state=");
  std::string_view call = Trim(cell.substr(0, state), " ,");
  return std::string(call);
}

std::string NameOfCall(std::string_view cell) {
  std::string_view name = cell.substr(0, cell.find('('));
  const size_t colon = name.find(':');
  return std::string(colon == name.npos ? name : name.substr(colon + 1));
}

FlightRow RowOf(const FlightItem& item) {
  FlightRow row;
  row.kind = item.kind;
  row.source = static_cast<int64_t>(item.source) + 1;
  row.line = item.line;
  row.seqnum = item.seqnum;
  row.group = NullIfEmpty(item.group);
  row.optype = NullIfEmpty(item.optype);
  row.ranks = std::ssize(item.who);
  if (!item.who.empty()) {
    row.who = RanksInWords(item.who);
    row.rank = *item.who.begin();
  }
  row.members = item.members;
  row.differs = NullIfEmpty(item.differs);
  row.expected = NullIfEmpty(item.expected);
  row.found = NullIfEmpty(item.found);
  row.site = NullIfEmpty(item.site);
  return row;
}

}  // namespace

bool FlightText::Table(const ingest::LogLine& line) {
  static const auto* head = new RE2(R"(^\s*Rank \d+(?:\s{2,}Rank \d+)+\s*$)");
  static const auto* name = new RE2(R"(Rank (\d+))");
  static const auto* rule = new RE2(R"(^[\s-]*--[\s-]*$)");
  const re2::StringPiece text(line.text.data(), line.text.size());
  if (RE2::FullMatch(text, *head)) {
    EndTable();
    table_head_ = ItemAt("fewer", line);
    re2::StringPiece rest = text;
    int64_t rank = 0;
    while (table_.size() < kMaxColumns &&
           RE2::FindAndConsume(&rest, *name, &rank)) {
      const size_t begin =
          text.size() - rest.size() - ("Rank " + std::to_string(rank)).size();
      table_.push_back({rank, begin, {}});
    }
    return true;
  }
  if (table_.empty()) return false;
  if (RE2::FullMatch(text, *rule)) return true;
  if (Trim(line.text).empty() || line.text.find('(') == line.text.npos) {
    EndTable();
    return false;
  }
  // Each cell belongs to the last column that begins before it.
  for (size_t at = line.text.find_first_not_of(' '); at < line.text.size();) {
    const size_t end = std::min(line.text.find("  ", at), line.text.size());
    size_t column = 0;
    while (column + 1 < table_.size() && table_[column + 1].begin <= at + 2) {
      ++column;
    }
    table_[column].cells.emplace_back(line.text.substr(at, end - at));
    at = line.text.find_first_not_of(' ', end);
  }
  return true;
}

// The first row in which a column has ended or differs.
void FlightText::EndTable() {
  std::vector<Column> table = std::exchange(table_, {});
  size_t rows = 0;
  for (const Column& column : table) rows = std::max(rows, column.cells.size());
  for (size_t row = 0; row < rows; ++row) {
    FlightItem item = table_head_;
    item.seqnum = static_cast<int64_t>(row) + 1;
    item.members = std::ssize(table);
    std::map<std::string, std::set<int64_t>> calls;
    for (const Column& column : table) {
      if (row >= column.cells.size()) {
        item.who.insert(column.rank);
      } else {
        calls[CallOf(column.cells[row])].insert(column.rank);
        item.optype = NameOfCall(column.cells[row]);
      }
    }
    if (item.who.empty() && calls.size() < 2) continue;
    if (calls.size() > 1) {
      const auto order = [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
      };
      const auto odd = std::ranges::min_element(calls, order);
      const auto most = std::ranges::max_element(calls, order);
      item.kind = "mismatch";
      item.who = odd->second;
      item.found = odd->first;
      item.expected = odd == most ? calls.rbegin()->first : most->first;
      item.differs = NameOfCall(item.found) == NameOfCall(item.expected)
                         ? "size"
                         : "operation";
    }
    Keep(std::move(item));
    return;
  }
}

Status FlightText::Write(facts::Store* store) const {
  if (items_.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(auto rows,
                   InsertInto<FlightRow>(&store->db(), "store_flight_text"));
  ASSIGN_OR_RETURN(QuotedLines lines, QuotedLines::Make(store));
  for (const FlightItem& item : items_) {
    FlightRow row = RowOf(item);
    ASSIGN_OR_RETURN(row.event, lines.Add({item.source,
                                           item.line,
                                           item.offset,
                                           row.rank,
                                           {},
                                           item.text,
                                           "distributed.flight-text.line"}));
    RETURN_IF_ERROR(rows.Add(row));
  }
  return Status::Ok();
}

}  // namespace inquest::hangs
