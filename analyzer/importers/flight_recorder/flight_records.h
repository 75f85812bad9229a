// SPDX-License-Identifier: Apache-2.0
// Writes dumps of PyTorch's flight recorder as rows of a trace. A dump holds
// the last collectives of one rank. Called by the readers of both forms (pickle
// and JSON) with the recorder's own dictionaries as JSON. One thread; keeps
// only the call stacks.
//
// Source: torch/csrc/distributed/c10d/FlightRecorderDetail.hpp and its
// predecessors (NCCLUtils.hpp, TraceUtils.h). Entries are read by the keys that
// they have, never by version: `seq_id` was split in two, times were once
// microseconds, groups were once a number, the root once the list itself.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/importers/common/call_stacks.h"
#include "analyzer/importers/common/trace_file.h"

namespace inquest::importers {

// Whether these keys are those of an entry.
bool IsFlightEntry(const nlohmann::json& dict);

class FlightRecords {
 public:
  explicit FlightRecords(TraceFile* file) : file_(file), stacks_(file) {}

  CallStacks& stacks() { return stacks_; }

  // `mtime_ns` replaces the times of a dump without times.
  void BeginDump(const std::string& path, int64_t mtime_ns);
  // `stack` of stacks().
  void Entry(const nlohmann::json& entry, uint32_t stack);
  // `root` is without its entries; `fault` says why the dump could not be read
  // to the end, or "".
  void EndDump(const nlohmann::json& root, const std::string& fault);

  // After the last dump.
  Status Finish();

 private:
  struct Group {
    std::string description;
    std::optional<std::string> ranks;  // JSON
    std::set<int64_t> members;
  };

  void JoinBatch(const std::string& group, bool coalesced, bool p2p,
                 int64_t seq);
  void ReadGroups(const nlohmann::json& config);
  std::optional<int64_t> Rank() const;
  std::string NameOf(int64_t pg, const nlohmann::json& status) const;
  std::map<int64_t, std::string> NamesInOrder(
      const nlohmann::json& status) const;
  void WriteGroups(const nlohmann::json& status);
  void WriteGroup(std::optional<int64_t> pg, const std::string& name,
                  const nlohmann::json& status);

  TraceFile* file_;
  CallStacks stacks_;
  std::string path_;
  int64_t dump_ = 0;   // of this one
  int64_t dumps_ = 0;  // successfully read
  int64_t id_ = 0;
  int64_t entries_ = 0;  // of this dump
  int64_t nameless_ = 0;
  int64_t first_ns_ = INT64_MAX;
  int64_t last_ns_ = 0;
  int64_t mtime_ns_ = 0;
  std::map<std::string, Group> groups_;         // by name
  std::map<int64_t, std::string> group_names_;  // of pg numbers, from entries

  // The latest entries with one sequence number in a group, which may form a
  // batch.
  struct Run {
    int64_t seq = -1;
    std::vector<int64_t> entries;
  };
  std::map<std::pair<std::string, bool>, Run> runs_;  // group, whether p2p
};

}  // namespace inquest::importers
