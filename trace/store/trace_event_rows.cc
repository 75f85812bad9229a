// The rows of what happened: errors, messages, steps, coverage.
#include <string>

#include "trace/store/bind.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
void TraceWriter::Enter(uint64_t ticket, const ApiErrorRecord& record) {
  Statement* insert =
      Get("INSERT OR IGNORE INTO api_error VALUES(?,?,?,?,?,?,?,?,?,?,?,0)");
  if (insert == nullptr) return;
  insert->Bind(0, Signed(ticket)).Bind(1, record.time_ns).Bind(2, record.api);
  insert->Bind(3, record.function).Bind(4, record.result);
  insert->Bind(5, record.name).Bind(6, record.text);
  insert->Bind(7, int64_t{record.device}).Bind(8, int64_t{record.thread});
  Run(&insert->Bind(9, int64_t{record.stack})
           .Bind(10, int64_t{record.sticky ? 1 : 0}));
}

void TraceWriter::Enter(uint64_t, const ApiErrorRepeatRecord& record) {
  ++repeats_[record.first];
}

void TraceWriter::FlushRepeats() {
  Statement* add = Get("UPDATE api_error SET repeats=repeats+? WHERE id=?");
  if (add == nullptr) return;
  for (const auto& [first, count] : repeats_) {
    Run(&add->Bind(0, count).Bind(1, Signed(first)));
  }
  repeats_.clear();
}

void TraceWriter::Enter(uint64_t ticket, const MessageRecord& record) {
  Statement* insert = Get("INSERT OR IGNORE INTO message VALUES(?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, Signed(ticket)).Bind(1, record.time_ns);
  Run(&insert->Bind(2, record.source)
           .Bind(3, record.severity)
           .Bind(4, record.text));
}

void TraceWriter::Enter(uint64_t ticket, const StepBeginRecord& record) {
  Statement* insert = Get("INSERT OR IGNORE INTO step VALUES(?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, Signed(ticket)).Bind(1, record.name);
  insert->Bind(2, record.begin_ns);
  BindNumber(insert, 3, record.end_ns);
  Run(&insert->Bind(4, int64_t{record.thread}));
}

void TraceWriter::Enter(uint64_t, const StepEndRecord& record) {
  Statement* update = Get("UPDATE step SET end_ns=? WHERE id=?");
  if (update == nullptr) return;
  Run(&update->Bind(0, record.end_ns).Bind(1, Signed(record.begin)));
}

void TraceWriter::Enter(uint64_t ticket, const DeviceEventRecord& record) {
  Statement* insert =
      Get("INSERT OR IGNORE INTO device_event VALUES(?,?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, Signed(ticket)).Bind(1, record.time_ns);
  insert->Bind(2, record.device).Bind(3, record.kind);
  Run(&insert->Bind(4, record.value).Bind(5, record.text));
}

void TraceWriter::Enter(uint64_t, const CoverageRecord& record) {
  Statement* same =
      Get("SELECT count(*) FROM coverage WHERE source=? AND state=? AND note=? "
          "AND to_ns IS NULL");
  Statement* close =
      Get("UPDATE coverage SET to_ns=? WHERE source=? AND to_ns IS NULL");
  Statement* insert = Get("INSERT INTO coverage VALUES(?,?,NULL,?,?)");
  if (same == nullptr || close == nullptr || insert == nullptr) return;
  same->Bind(0, record.source).Bind(1, record.state).Bind(2, record.note);
  const bool known = same->Step() && same->Int(0) > 0;
  same->Reset();
  if (known) return;
  Run(&close->Bind(0, record.time_ns).Bind(1, record.source));
  insert->Bind(0, record.source).Bind(1, record.time_ns);
  Run(&insert->Bind(2, record.state).Bind(3, record.note));
}

void TraceWriter::Enter(uint64_t, const LossRecord& record) {
  Lose(record.kind, record.count, record.note);
}

void TraceWriter::Enter(uint64_t, const MetaRecord& record) {
  SetMeta(record.key, record.value);
}

}  // namespace inquest::trace
