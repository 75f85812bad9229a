// SPDX-License-Identifier: Apache-2.0
#include "trace/store/fold.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trace/store/checkpoint.h"
#include "trace/store/event_rows.h"
#include "trace/store/fold_sites.h"

namespace inquest::trace {
namespace {

class Fold {
 public:
  explicit Fold(Database* db)
      : db_(db),
        watcher_(db),
        ledger_(&watcher_, [this](int device, Layer layer) {
          return BlocksInTable(db_, device, layer, &blocks_failure_);
        }) {}

  Expected<Folded> Run(int64_t limit);

 private:
  struct StepEnd {
    int64_t time = 0;
    int64_t step = 0;
  };
  Status ReadSteps();
  Status CloseStepsBefore(int64_t time);
  Status ReplayUpTo(int64_t last, int64_t limit);
  Status RemoveRows();
  Status WriteCoverage();

  Database* db_;
  Status blocks_failure_;
  FoldWatcher watcher_;
  Ledger ledger_;
  Checkpoint checkpoint_;
  int64_t before_ = 0;  // checkpoint_.event at the beginning
  int64_t failed_ = 0;
  Folded folded_;
  std::vector<StepEnd> steps_;  // that end after the checkpoint, by time
  size_t closed_steps_ = 0;
};

Status Fold::ReadSteps() {
  ASSIGN_OR_RETURN(Statement row,
                   db_->Prepare("SELECT end_ns, id FROM step WHERE end_ns>? "
                                "ORDER BY end_ns, id"));
  row.BindAll(checkpoint_.time);
  for (StepEnd end; row.Next(&end.time, &end.step);) steps_.push_back(end);
  return row.status();
}

Status Fold::CloseStepsBefore(int64_t time) {
  if (closed_steps_ == steps_.size() || steps_[closed_steps_].time > time) {
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(
      Statement row,
      db_->Prepare("INSERT OR REPLACE INTO checkpoint_step VALUES(?,?)"));
  for (; closed_steps_ < steps_.size() && steps_[closed_steps_].time <= time;
       ++closed_steps_) {
    RETURN_IF_ERROR(row.Run(steps_[closed_steps_].step, ledger_.LiveBytes()));
  }
  return Status::Ok();
}

Status Fold::ReplayUpTo(int64_t last, int64_t limit) {
  ASSIGN_OR_RETURN(Statement row,
                   db_->Prepare("SELECT " + std::string(kEventColumns) +
                                " FROM memory_event WHERE id>? AND id<=? "
                                "ORDER BY id LIMIT ?"));
  row.BindAll(checkpoint_.event, last, limit);
  while (row.Step()) {
    const MemoryEvent event = EventOf(row);
    RETURN_IF_ERROR(CloseStepsBefore(event.time));
    ledger_.Add(event);
    if (event.result != 0) ++failed_;
    ++folded_.events;
    checkpoint_.event = event.id;
    checkpoint_.time = std::max(checkpoint_.time, event.time);
  }
  checkpoint_.folded += folded_.events;
  RETURN_IF_ERROR(row.status());
  return blocks_failure_;
}

Status Fold::RemoveRows() {
  ASSIGN_OR_RETURN(
      const int64_t kept,
      db_->QueryInt("SELECT count(*) FROM memory_event WHERE id<=" +
                    std::to_string(before_)));
  const bool full = kept + failed_ > kMaxFailedEvents;
  if (full) folded_.failed_dropped = failed_;
  ASSIGN_OR_RETURN(Statement remove,
                   db_->Prepare("DELETE FROM memory_event WHERE id>? AND id<=? "
                                "AND (result=0 OR ?)"));
  RETURN_IF_ERROR(remove.Run(before_, checkpoint_.event, full));
  // Removes the rows of steps that were removed since (retention.h).
  return db_->Execute(
      "DELETE FROM checkpoint_step WHERE step<(SELECT min(id) FROM step)");
}

Status Fold::WriteCoverage() {
  RETURN_IF_ERROR(
      db_->Execute("DELETE FROM coverage WHERE source='memory_event'"));
  ASSIGN_OR_RETURN(
      Statement insert,
      db_->Prepare(
          "INSERT INTO coverage VALUES('memory_event',(SELECT "
          "coalesce(min(start_ns),0) FROM process),?1,'off',?2),"
          "('memory_event',?1,NULL,'on','kept one by one from here on')"));
  return insert.Run(checkpoint_.time,
                    std::to_string(checkpoint_.folded) +
                        " events folded into the checkpoint, to stay within "
                        "INQUEST_MAX_DISK");
}

Expected<Folded> Fold::Run(int64_t limit) {
  RETURN_IF_ERROR(watcher_.Begin());
  ASSIGN_OR_RETURN(checkpoint_, ReadCheckpoint(db_, "", &ledger_));
  before_ = checkpoint_.event;
  ASSIGN_OR_RETURN(const int64_t last,
                   db_->QueryInt("SELECT id FROM memory_event ORDER BY id DESC "
                                 "LIMIT 1 OFFSET " +
                                 std::to_string(kNeverFolded)));
  if (last <= before_) return folded_;
  RETURN_IF_ERROR(ReadSteps());
  RETURN_IF_ERROR(ReplayUpTo(last, limit));
  RETURN_IF_ERROR(watcher_.Finish());
  RETURN_IF_ERROR(RemoveRows());
  RETURN_IF_ERROR(WriteCheckpoint(db_, checkpoint_, ledger_));
  RETURN_IF_ERROR(WriteCoverage());
  return folded_;
}

}  // namespace

Expected<Folded> FoldMemoryEvents(Database* db, int64_t limit) {
  return Fold(db).Run(limit);
}

}  // namespace inquest::trace
