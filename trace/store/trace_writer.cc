// SPDX-License-Identifier: Apache-2.0
#include "trace/store/trace_writer.h"

#include <algorithm>

namespace inquest::trace {

Status TraceWriter::LoadState() {
  ASSIGN_OR_RETURN(const int64_t drained,
                   db_.QueryInt("SELECT CAST(value AS INTEGER) FROM meta "
                                "WHERE key='drained_ticket'"));
  ASSIGN_OR_RETURN(const int64_t clean,
                   db_.QueryInt("SELECT CAST(value AS INTEGER) FROM meta "
                                "WHERE key='clean_end'"));
  drained_ticket_ = static_cast<uint64_t>(std::max<int64_t>(drained, 0));
  clean_end_ = clean != 0;
  ASSIGN_OR_RETURN(
      Statement raw,
      db_.Prepare("SELECT id FROM cudnn_call WHERE result=0 ORDER BY id"));
  for (int64_t id = 0; raw.Next(&id);) stored_raw_.push_back(id);
  RETURN_IF_ERROR(raw.status());
  RETURN_IF_ERROR(LoadIntervals());
  return LoadFramework();
}

Statement* TraceWriter::Get(const char* sql) {
  auto found = statements_.find(sql);
  if (found != statements_.end()) return &found->second;
  Expected<Statement> made = db_.Prepare(sql);
  if (!made.ok()) {
    failure_ = made.status();
    return nullptr;
  }
  return &statements_.emplace(sql, made.Take()).first->second;
}

Status TraceWriter::Begin() {
  failure_ = Status::Ok();
  RETURN_IF_ERROR(db_.Execute("BEGIN IMMEDIATE"));
  in_batch_ = true;
  return Status::Ok();
}

void TraceWriter::SetMeta(std::string_view key, std::string_view value) {
  Write("INSERT OR REPLACE INTO meta VALUES(?,?)", key, value);
}

void TraceWriter::Lose(std::string_view kind, int64_t count,
                       std::string_view note) {
  Write(
      "INSERT INTO loss VALUES(?1,?2,?3) ON CONFLICT(kind) DO UPDATE SET "
      "count=count+excluded.count",
      kind, count, note);
}

void TraceWriter::SetLoss(std::string_view kind, int64_t count,
                          std::string_view note) {
  Write("INSERT OR REPLACE INTO loss VALUES(?,?,?)", kind, count, note);
}

void TraceWriter::Malformed() {
  Lose("malformed", 1, "malformed journal records");
}

void TraceWriter::AddJournalLosses(const JournalLosses& losses) {
  for (uint32_t kind = 0; kind < kDropKinds; ++kind) {
    const auto count = static_cast<int64_t>(losses.dropped[kind]);
    if (count <= 0) continue;
    SetLoss(RecordKindName(kind), count, "dropped, the journal was full");
  }
  if (losses.torn > 0) {
    SetLoss("torn", static_cast<int64_t>(losses.torn),
            "records that were being written when their thread died");
  }
  if (losses.cut > 0) {
    SetLoss("cut", static_cast<int64_t>(losses.cut),
            "records shortened to 4 KiB");
  }
}

Status TraceWriter::Commit(uint64_t drained_ticket) {
  FlushEvents();
  FlushCudnn();
  FlushIntervals();
  FlushFramework();
  FlushRepeats();
  for (const auto& [kind, count] : no_room_) {
    Lose(kind + " (disk budget)", count, "INQUEST_MAX_DISK was reached");
  }
  no_room_.clear();
  RETURN_IF_ERROR(TrimTables());
  SetMeta("drained_ticket", std::to_string(drained_ticket));
  RETURN_IF_ERROR(failure_);
  RETURN_IF_ERROR(db_.Execute("COMMIT"));
  in_batch_ = false;
  drained_ticket_ = drained_ticket;
  // The batch is stored: if no room could be made, the next batch shows it.
  Status ignored = KeepWithinBudget();
  static_cast<void>(ignored);
  memory_events_ = 0;
  return Status::Ok();
}

void TraceWriter::Rollback() {
  waiting_events_.clear();
  stats_.clear();
  raw_calls_.clear();
  repeats_.clear();
  no_room_.clear();
  memory_events_ = 0;
  if (!in_batch_) return;
  in_batch_ = false;
  failure_ = db_.Execute("ROLLBACK");
  for (const Status& loaded : {LoadIntervals(), LoadFramework()}) {
    if (failure_.ok()) failure_ = loaded;
  }
}

Status TraceWriter::Finish(std::string_view finished_by, bool clean_end,
                           int64_t end_ns) {
  RETURN_IF_ERROR(Begin());
  SetMeta("finished_by", finished_by);
  SetMeta("clean_end", clean_end ? "1" : "0");
  SetMeta("end_ns", std::to_string(end_ns));
  RETURN_IF_ERROR(Commit(drained_ticket_));
  clean_end_ = clean_end;
  statements_.clear();
  if (!shared_) {
    db_ = Database();
    return Status::Ok();
  }
  RETURN_IF_ERROR(db_.Execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  // All is on the disk now; what follows changes one page.
  RETURN_IF_ERROR(db_.Execute("PRAGMA synchronous=OFF"));
  // Fails while another process reads; then the trace stays in WAL mode.
  Status ignored = db_.Execute("PRAGMA journal_mode=DELETE");
  static_cast<void>(ignored);
  return Status::Ok();
}

}  // namespace inquest::trace
