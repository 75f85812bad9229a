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

  Expected<Folded> Run(int64_t most);

 private:
  struct StepEnd {
    int64_t time = 0;
    int64_t step = 0;
  };
  Status ReadSteps();
  Status CloseStepsBefore(int64_t time);
  Status ReplayUpTo(int64_t last, int64_t most);
  Status RemoveRows();
  Status SayWhatIsRaw();

  Database* db_;
  Status blocks_failure_;
  FoldWatcher watcher_;
  Ledger ledger_;
  Checkpoint checkpoint_;
  int64_t before_ = 0;  // checkpoint_.event at the beginning
  int64_t failed_ = 0;
  Folded folded_;
  std::vector<StepEnd> steps_;  // that end behind the checkpoint, by time
  size_t closed_steps_ = 0;
};

Status Fold::ReadSteps() {
  ASSIGN_OR_RETURN(Statement row,
                   db_->Prepare("SELECT end_ns, id FROM step WHERE end_ns>? "
                                "ORDER BY end_ns, id"));
  row.Bind(0, checkpoint_.time);
  while (row.Step()) steps_.push_back({row.Int(0), row.Int(1)});
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
    row.Bind(0, steps_[closed_steps_].step);
    RETURN_IF_ERROR(row.Bind(1, ledger_.LiveBytes()).Run());
  }
  return Status::Ok();
}

Status Fold::ReplayUpTo(int64_t last, int64_t most) {
  ASSIGN_OR_RETURN(Statement row,
                   db_->Prepare("SELECT " + std::string(kEventColumns) +
                                " FROM memory_event WHERE id>? AND id<=? "
                                "ORDER BY id LIMIT ?"));
  row.Bind(0, checkpoint_.event).Bind(1, last).Bind(2, most);
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
  const bool full = kept + failed_ > kMostFailedEvents;
  if (full) folded_.failed_dropped = failed_;
  ASSIGN_OR_RETURN(Statement remove,
                   db_->Prepare("DELETE FROM memory_event WHERE id>? AND id<=? "
                                "AND (result=0 OR ?)"));
  remove.Bind(0, before_).Bind(1, checkpoint_.event);
  RETURN_IF_ERROR(remove.Bind(2, int64_t{full}).Run());
  // Of steps that have gone since (retention.h).
  return db_->Execute(
      "DELETE FROM checkpoint_step WHERE step<(SELECT min(id) FROM step)");
}

Status Fold::SayWhatIsRaw() {
  RETURN_IF_ERROR(
      db_->Execute("DELETE FROM coverage WHERE source='memory_event'"));
  ASSIGN_OR_RETURN(
      Statement insert,
      db_->Prepare(
          "INSERT INTO coverage VALUES('memory_event',(SELECT "
          "coalesce(min(start_ns),0) FROM process),?1,'off',?2),"
          "('memory_event',?1,NULL,'on','kept one by one from here on')"));
  insert.Bind(0, checkpoint_.time);
  return insert
      .Bind(1, std::to_string(checkpoint_.folded) +
                   " events folded into the checkpoint, to stay within "
                   "INQUEST_MAX_DISK")
      .Run();
}

Expected<Folded> Fold::Run(int64_t most) {
  RETURN_IF_ERROR(watcher_.Begin());
  ASSIGN_OR_RETURN(checkpoint_, ReadCheckpoint(db_, "", &ledger_));
  before_ = checkpoint_.event;
  ASSIGN_OR_RETURN(const int64_t last,
                   db_->QueryInt("SELECT id FROM memory_event ORDER BY id DESC "
                                 "LIMIT 1 OFFSET " +
                                 std::to_string(kNeverFolded)));
  if (last <= before_) return folded_;
  RETURN_IF_ERROR(ReadSteps());
  RETURN_IF_ERROR(ReplayUpTo(last, most));
  RETURN_IF_ERROR(watcher_.Finish());
  RETURN_IF_ERROR(RemoveRows());
  RETURN_IF_ERROR(WriteCheckpoint(db_, checkpoint_, ledger_));
  RETURN_IF_ERROR(SayWhatIsRaw());
  return folded_;
}

}  // namespace

Expected<Folded> FoldMemoryEvents(Database* db, int64_t most) {
  return Fold(db).Run(most);
}

}  // namespace inquest::trace
