// SPDX-License-Identifier: Apache-2.0
// Reads what torchfrtrace prints of flight recorders: a block for each
// collective that went wrong, a table with a column for each rank (-j), entries
// line by line, or the debug server's table of collectives. Source: PyTorch
// torch/distributed/flight_recorder/ components/{utils,types}.py, the wordings
// of 2.5 to 2.9. One thread; memory is bounded by kMax….
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/logs/reader/log_event.h"

namespace inquest::hangs {

struct FlightItem {
  std::string kind;
  size_t source = 0;
  int64_t line = 0, offset = 0;
  std::string text;
  std::optional<int64_t> seqnum, members;
  std::string group, optype;
  std::set<int64_t> who;
  std::string differs, expected, found, site;
};

class FlightText {
 public:
  void BeginSource(size_t source) { source_ = source; }
  void Add(const ingest::LogLine& line);
  void EndSource();
  // Writes the fact flight_text. After the last log.
  Status Write(facts::Store* store) const;

 private:
  static constexpr size_t kMaxItems = 10'000;
  static constexpr size_t kMaxColumns = 100'000;

  bool Heading(std::string_view text, const ingest::LogLine& line);
  bool Field(std::string_view text);
  void Errors(std::string_view text);
  void Site(std::string_view text);
  bool Table(const ingest::LogLine& line);
  void EndTable();
  bool DatabaseHead(std::string_view text);
  bool Database(const ingest::LogLine& line);
  static void FillField(std::string_view name, std::string_view text,
                        FlightItem* item);
  bool Entry(std::string_view text, const ingest::LogLine& line);
  void Close();
  void Keep(FlightItem item);
  FlightItem ItemAt(const char* kind, const ingest::LogLine& line) const;

  struct Column {
    int64_t rank = 0;
    size_t begin = 0;
    std::vector<std::string> cells;
  };

  // Of the debug server's table.
  struct HeadField {
    std::string name;
    size_t begin = 0, end = 0;
  };

  size_t source_ = 0;
  std::vector<HeadField> fields_;
  std::vector<FlightItem> items_;
  std::optional<FlightItem> open_;
  bool in_stack_ = false;
  std::vector<Column> table_;
  FlightItem table_head_;
  bool has_started_ = false;
};

}  // namespace inquest::hangs
