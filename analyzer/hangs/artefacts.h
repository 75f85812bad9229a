// SPDX-License-Identifier: Apache-2.0
// Finds artefacts of jobs that stand still in logs, and makes them facts:
// stacks of processes, reports of NCCL's RAS service, printed flight recorders.
// They take many lines each, so they are read beside the signatures: from the
// block on in which one of these first recognises such a line, a log is read
// line by line. Ids of these signatures begin with distributed.stack.,
// nccl.ras. or distributed.flight-text. Called by diagnosis/pipeline.cc; one
// thread. Bad input is counted and never fatal, memory bounded by the readers'
// limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/hangs/flight/flight_text.h"
#include "analyzer/hangs/ras/ras_json.h"
#include "analyzer/hangs/ras/ras_text.h"
#include "analyzer/hangs/stacks/stack_reader.h"
#include "analyzer/logs/reader/log_event.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::hangs {

class Artefacts {
 public:
  explicit Artefacts(const rules::RuleSet& rules);

  // A log at `path` is begun.
  void Begin(const std::string& path) { path_ = path; }
  // Whether an event of this signature begins one; the same for all logs.
  bool Wants(size_t signature) const { return wanted_by_[signature] != 0; }
  void OnEvent(const ingest::LogEvent& event);
  // What events have asked for so far in this log, and the same for blocks that
  // were kept with it.
  uint8_t wanted() const { return wanted_; }
  void Want(uint8_t what) { wanted_ |= what; }
  void OnBlock(size_t source, const ingest::LogBlock& block,
               const ingest::PrefixProfile& profile);
  // The last block of that log was passed.
  void End();

  // Writes the facts; after the last log.
  Status Write(facts::Store* store);
  // Why not all was read, if so.
  std::vector<std::string> Limits() const;

 private:
  static constexpr uint8_t kStacks = 1;
  static constexpr uint8_t kRas = 2;
  static constexpr uint8_t kFlight = 4;

  std::vector<uint8_t> wanted_by_;  // signature
  std::string path_;                // of the current log
  uint8_t wanted_ = 0;              // in it
  uint8_t begun_ = 0;               // by their readers
  StackDumps dumps_;
  StackReader stacks_{&dumps_};
  RasReports reports_;
  RasText ras_{&reports_};
  RasJson ras_json_{&reports_};
  FlightText flight_;
};

}  // namespace inquest::hangs
