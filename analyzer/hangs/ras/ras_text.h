// SPDX-License-Identifier: Apache-2.0
// Reads the text of NCCL's RAS service (`ncclras`, NCCL 2.24 and later, RCCL
// alike) and of its monitor. Source: NCCL src/ras/client_support.cc. A report
// may begin and end anywhere and stand among other lines. What is garbage is
// counted. One thread; memory is bounded by kMaxRasItems and the ranks that a
// report names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/hangs/ras/ras_counts.h"
#include "analyzer/logs/reader/log_event.h"

namespace inquest::hangs {

class RasText {
 public:
  explicit RasText(RasReports* reports) : reports_(reports) {}

  void BeginSource(size_t source) { source_ = source; }
  void Add(const ingest::LogLine& line);
  void EndSource();

 private:
  enum class Section { kNone, kMissing, kDead, kCounts, kStatus, kErrors };

  bool ReadHeads(std::string_view text);
  bool ReadTable(std::string_view text);
  bool ReadRanks(std::string_view text);
  bool ReadGroups(std::string_view text);
  bool ReadAbsent(std::string_view text);
  bool ReadCounts(std::string_view text);
  bool ReadStates(std::string_view text);
  void BeginReport();
  void EndBlock();
  void EndReport();
  RasItem About(const char* kind) const;
  void AddWho(const RasRank& rank);
  void Keep(RasItem item);

  RasReports* reports_;
  size_t source_ = 0;
  RasLine here_;  // the current line

  bool open_ = false;      // within a report
  bool table_ = false;     // it has its table,
  bool fine_ = true;       // in which all is well
  bool sections_ = false;  // and both its headings are there
  size_t first_item_ = 0;  // of the report
  RasLine table_at_;
  int64_t other_lines_ = 0;  // of the log, that are not of a report
  std::string communicator_;
  bool garbage_ = false;
  Section section_ = Section::kNone;
  RasItem item_;  // open: its ranks follow
  std::string operation_;
  std::vector<CountGroup> groups_;
};

}  // namespace inquest::hangs
