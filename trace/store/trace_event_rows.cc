// SPDX-License-Identifier: Apache-2.0
// The rows of what happened: errors, messages, steps, coverage.
#include <string>

#include "trace/store/or_null.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {

void TraceWriter::Enter(uint64_t ticket, const ApiErrorRecord& r) {
  Write("INSERT OR IGNORE INTO api_error VALUES(?,?,?,?,?,?,?,?,?,?,?,0)",
        ticket, r.time_ns, r.api, r.function, r.result, r.name, r.text,
        r.device, r.thread, r.stack, r.sticky);
}

void TraceWriter::FlushRepeats() {
  for (const auto& [first, count] : repeats_) {
    Write("UPDATE api_error SET repeats=repeats+? WHERE id=?", count, first);
  }
  repeats_.clear();
}

void TraceWriter::Enter(uint64_t ticket, const MessageRecord& r) {
  Write("INSERT OR IGNORE INTO message VALUES(?,?,?,?,?)", ticket, r.time_ns,
        r.source, r.severity, r.text);
}

void TraceWriter::Enter(uint64_t ticket, const StepBeginRecord& r) {
  Write("INSERT OR IGNORE INTO step VALUES(?,?,?,?,?)", ticket, r.name,
        r.begin_ns, OrNull(r.end_ns), r.thread);
}

void TraceWriter::Enter(uint64_t, const StepEndRecord& r) {
  Write("UPDATE step SET end_ns=? WHERE id=?", r.end_ns, r.begin);
}

void TraceWriter::Enter(uint64_t ticket, const DeviceEventRecord& r) {
  Write("INSERT OR IGNORE INTO device_event VALUES(?,?,?,?,?,?)", ticket,
        r.time_ns, r.device, r.kind, r.value, r.text);
}

// A state lasts until the next one of its source; a repeated state is one row.
void TraceWriter::Enter(uint64_t, const CoverageRecord& r) {
  Statement* same =
      Get("SELECT count(*) FROM coverage WHERE source=? AND state=? AND note=? "
          "AND to_ns IS NULL");
  if (same == nullptr) return;
  int64_t known = 0;
  same->BindAll(r.source, r.state, r.note).Next(&known);
  same->Reset();
  if (known > 0) return;
  Write("UPDATE coverage SET to_ns=? WHERE source=? AND to_ns IS NULL",
        r.time_ns, r.source);
  Write("INSERT INTO coverage VALUES(?,?,NULL,?,?)", r.source, r.time_ns,
        r.state, r.note);
}

void TraceWriter::Enter(uint64_t, const LossRecord& r) {
  Lose(r.kind, r.count, r.note);
}

void TraceWriter::Enter(uint64_t, const MetaRecord& r) {
  SetMeta(r.key, r.value);
}

}  // namespace inquest::trace
