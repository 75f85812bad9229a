// SPDX-License-Identifier: Apache-2.0
// Reads the JSON of NCCL's RAS service (`ncclras -f json`, NCCL 2.28.7 and
// later) and of its monitor: one object after another, among other lines. The
// report has no verdict; who is behind and who is missing is computed. 2.28.7
// and 2.28.9 leave out a comma where a rank is missing, which is mended.
// Anything that is not such an object is left alone. At most kMaxBytes of one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "analyzer/hangs/ras/ras_counts.h"
#include "analyzer/logs/reader/log_event.h"

namespace inquest::hangs {

class RasJson {
 public:
  explicit RasJson(RasReports* reports) : reports_(reports) {}

  void BeginSource(size_t source) { source_ = source; }
  void Add(const ingest::LogLine& line);
  void EndSource();

 private:
  static constexpr size_t kMaxBytes = 64u << 20;

  void Finish();
  void Report(const nlohmann::json& report);
  void Communicator(const nlohmann::json& one, const RasItem& about);
  void Event(const nlohmann::json& event);
  RasItem About(const char* kind) const;
  void Keep(RasItem item);

  RasReports* reports_;
  size_t source_ = 0;
  std::string text_;  // of the open object
  RasLine at_;        // its first line
  int64_t depth_ = 0;
  bool in_string_ = false;
  bool others_ = false;  // other lines in this log
};

// Whether a text begins as such a report, for the command line.
bool IsRasJson(std::string_view start);

}  // namespace inquest::hangs
