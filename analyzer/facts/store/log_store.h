// SPDX-License-Identifier: Apache-2.0
// Writes the log reader's events into the store, with what looks like a
// credential masked, since everything that is shown of a log comes from here.
// Made by the command line for
// one diagnosis, used on one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/log_rows.h"
#include "analyzer/facts/store/store.h"
#include "analyzer/logs/reader/log_event.h"
#include "analyzer/rules/model/rule_model.h"
#include "base/rows.h"

namespace inquest::facts {

class LogStore : public ingest::LogSink {
 public:
  // Both must outlive the sink.
  LogStore(Store* store, const rules::RuleSet* rules);

  void OnEvent(const ingest::LogEvent& event) override;
  void OnTail(size_t source, const std::vector<ingest::LogLine>& tail) override;
  void OnSource(size_t source, const ingest::LogSource& facts) override;

  const std::vector<ingest::LogSource>& sources() const { return sources_; }
  // Call once after the last log; returns the first error of the store, if any.
  Status Finish();

 private:
  Status Open();
  void Keep(Status status);
  void AddChunk(const ingest::LogEvent& event);
  void AddFrame(const ingest::LogEvent& event);
  void AddNativeFrame(const ingest::LogEvent& event);

  Store* store_;
  const rules::RuleSet* rules_;
  std::vector<ingest::LogSource> sources_;
  // All are set while status_ is ok.
  std::optional<RowInserter<LogEventRow>> event_table_;
  std::optional<RowInserter<LogChunk>> chunk_table_;
  std::optional<RowInserter<LogFrame>> frame_table_;
  std::optional<RowInserter<NativeFrame>> native_frame_table_;
  int64_t chunks_ = 0;
  int64_t frames_ = 0;  // of both kinds
  Status status_;
};

}  // namespace inquest::facts
