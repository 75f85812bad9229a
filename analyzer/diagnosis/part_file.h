// SPDX-License-Identifier: Apache-2.0
// What a file of facts (facts/store/parts.h) has besides facts: of what inputs
// and rules it was made, what reading them met with, the summaries of the logs,
// and the blocks of logs in which stacks and the like are, because these are
// compared over all ranks. For Pipeline; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/hangs/artefacts.h"
#include "analyzer/logs/carriers/log_prefix.h"
#include "analyzer/logs/reader/log_event.h"
#include "base/database.h"
#include "base/rows.h"

namespace inquest::diagnosis {

struct PartInfo {
  std::string content;  // hash of the inputs, the rules and this program
  std::string rules;    // digest of the rules
  std::string tool;     // version of the program
  int64_t inputs = 0;   // that were read
  int64_t share = 0;    // of `shares` of one folder, from 0
  int64_t shares = 1;
  bool incomplete = false;
  int64_t memory_events = 0;
  std::vector<std::string> contradictions;  // MemorySummary
  std::vector<Status> problems;             // of inputs
  std::vector<findings::LimitHit> limits;
};

// Keeps blocks while logs are read.
class BlockKeeper {
 public:
  static Expected<BlockKeeper> Make(Database* db);
  void Keep(size_t source, uint8_t wanted, const ingest::LogBlock& block,
            const ingest::PrefixProfile& profile);
  const Status& status() const { return status_; }

 private:
  Statement insert_;
  Status status_;
};

// Into the schema `merged`, in which the file is made.
Status WritePart(Database* db, const PartInfo& info,
                 const std::vector<ingest::LogSource>& logs);

// From the schema `part`.
Expected<PartInfo> ReadPart(Database* db);
Status ReadPartLogs(Database* db, std::vector<ingest::LogSource>* logs);
// Passes the blocks on; the part's first log is source `first`.
Status ReadBlocks(Database* db, size_t first,
                  const std::vector<ingest::LogSource>& logs,
                  hangs::Artefacts* artefacts);

// The same of a file that nothing else reads yet.
Expected<PartInfo> LookAtPart(const std::string& path);

}  // namespace inquest::diagnosis
