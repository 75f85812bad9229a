// SPDX-License-Identifier: Apache-2.0
#include "collector/core/drainer.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/scoped_lock.h"
#include "collector/core/emit.h"
#include "collector/core/event_clock.h"
#include "collector/core/source.h"
#include "collector/core/sqlite_files.h"

namespace inquest::collector {
namespace {

constexpr uint64_t kMaxBatchSlots = 8192;
constexpr int kFailuresToReport = 3;  // in a row
// Of the disk budget: the headers of the journal's segments, and pages that
// SQLite's log has beyond what was measured.
constexpr uint64_t kAside = 64 << 10;
constexpr int64_t kAnchorNs = 60'000'000'000;
constexpr int64_t kCanWaitNs = 200'000'000;

}  // namespace

// What the journal leaves of the disk budget.
uint64_t Drainer::TraceBudget() const {
  const trace::Journal& journal = *session_->journal;
  const uint64_t taken =
      kAside + (journal.persistent() ? session_->config.journal_share() : 0);
  return session_->config.max_disk_bytes - taken;
}

Status Drainer::Open() {
  const ScopedLock lock(in_sqlite_);
  writer_ = trace::TraceWriter();
  open_ = false;
  ASSIGN_OR_RETURN(
      writer_, trace::TraceWriter::Open(session_->trace_path, TraceBudget()));
  open_ = true;
  return Status::Ok();
}

// Records that arrive meanwhile are left for the next round, or this would not
// end.
Status Drainer::StoreBacklog() {
  if (!open_ || !SqliteFilesAreIntact()) {
    GrowJournal();  // producers do not wait while the trace is opened
    RETURN_IF_ERROR(Open());
  }
  const trace::Journal& journal = *session_->journal;
  const uint64_t end = journal.head();
  uint64_t records = 1;  // none: a thread is still writing the next one
  while (records > 0 && journal.drained() < end) {
    RETURN_IF_ERROR(Batch(&records));
    NoteSuccess();
  }
  return Status::Ok();
}

bool Drainer::DrainAll() {
  const Status status = StoreBacklog();
  if (!status.ok()) NoteFailure(status);
  return status.ok();
}

void Drainer::NoteFailure(const Status& why) {
  why_ = "cannot write the trace: " + why.message();
  if (++failures_ != kFailuresToReport) return;
  // A session that is ending is no longer switched off, but still reports.
  const trace::Journal& journal = *session_->journal;
  if (journal.persistent() || journal.is_spoiled() ||
      !SwitchOff(why_.c_str())) {
    ReportFailure();
  }
}

void Drainer::ReportFailure() {
  EmitCoverage("trace", "failed", why_);
  Complain(why_.c_str());
}

void Drainer::NoteSuccess() {
  if (failures_ >= kFailuresToReport) {
    EmitCoverage("trace", "on", "could be written again");
  }
  failures_ = 0;
}

void Drainer::GrowJournal() {
  const ScopedLock lock(in_sqlite_);
  session_->journal->Grow();
}

Status Drainer::Batch(uint64_t* records) {
  const ScopedLock lock(in_sqlite_);
  trace::Journal& journal = *session_->journal;
  journal.Grow();
  RETURN_IF_ERROR(writer_.Begin());
  const trace::Journal::Drained done = journal.Drain(
      [this](uint64_t ticket, uint32_t kind, std::string_view payload) {
        session_->callers.Note(kind, payload);
        writer_.Add(ticket, kind, payload);
      },
      std::min(kMaxBatchSlots, journal.slots() / 4));
  writer_.AddJournalLosses(journal.Losses());
  Status status = writer_.Commit(done.next);
  if (!status.ok()) {
    writer_.Rollback();
    journal.Rewind();
    return status;
  }
  journal.Recycle(done.next);
  *records = done.records + done.torn;
  return Status::Ok();
}

void Drainer::MakeRoom() {
  const trace::Journal& journal = *session_->journal;
  if (failures_ == 0 && journal.backlog() > journal.slots() / 4) {
    DrainAll();
  }
}

// What is in memory is lost with a kill: said while the file still takes it, if
// it does.
void Drainer::SaySpoiled() {
  const trace::Journal& journal = *session_->journal;
  if (spoiled_said_) return;
  spoiled_said_ = journal.is_spoiled() || journal.IsShortOfRoom();
  if (!spoiled_said_) return;
  const std::string why = journal.is_spoiled() ? journal.why_in_memory()
                                               : "the disk is nearly full";
  EmitCoverage("journal", "failed", why + ": kept in memory, a kill loses it");
}

void Drainer::Housekeep() {
  TieClock();
  SaySpoiled();
  session_->journal->Housekeep();
  for (const Source* source : Sources()) {
    if (source->housekeep != nullptr) source->housekeep(session_->config);
  }
  const int64_t now = MonotonicNs();
  if (now >= next_anchor_) {
    next_anchor_ = now + kAnchorNs;
    Emit(trace::ClockAnchorRecord{now, trace::RealtimeNs()});
  }
}

bool Drainer::CanWait() const {
  const trace::Journal& journal = *session_->journal;
  return !open_ && journal.persistent() &&
         journal.backlog() < kMaxBatchSlots / 2 &&
         MonotonicNs() - begin_ns_ < kCanWaitNs;
}

// A whole trace in one batch, under another name until it is complete. The
// journal has everything until then, whatever happens.
bool Drainer::StoreAtOnce() {
  const ScopedLock lock(in_sqlite_);
  trace::Journal& journal = *session_->journal;
  if (open_ || !journal.persistent() || journal.backlog() > kMaxBatchSlots) {
    return false;
  }
  const std::string unfinished = session_->trace_path + ".new";
  uint64_t next = 0;
  const Status status = WriteAtOnce(unfinished, &next);
  if (!status.ok() ||
      std::rename(unfinished.c_str(), session_->trace_path.c_str()) != 0) {
    unlink(unfinished.c_str());
    journal.Rewind();
    return false;
  }
  journal.Recycle(next);
  return true;
}

Status Drainer::WriteAtOnce(const std::string& path, uint64_t* next) {
  trace::Journal& journal = *session_->journal;
  ASSIGN_OR_RETURN(trace::TraceWriter writer,
                   trace::TraceWriter::CreateUnshared(path, TraceBudget()));
  RETURN_IF_ERROR(writer.Begin());
  const trace::Journal::Drained done = journal.Drain(
      [&](uint64_t ticket, uint32_t kind, std::string_view payload) {
        session_->callers.Note(kind, payload);
        writer.Add(ticket, kind, payload);
      },
      kMaxBatchSlots);
  writer.AddJournalLosses(journal.Losses());
  RETURN_IF_ERROR(writer.Commit(done.next));
  *next = done.next;
  return writer.Finish("collector", true, MonotonicNs());
}

bool Drainer::Finish() {
  Housekeep();
  Emit(trace::ClockAnchorRecord{MonotonicNs(), trace::RealtimeNs()});
  if (StoreAtOnce()) {
    session_->journal->MarkCleanEnd();
    return true;
  }
  const bool stored = DrainAll();
  if (!stored && failures_ < kFailuresToReport) ReportFailure();
  session_->journal->MarkCleanEnd();
  if (!stored) return false;
  const ScopedLock lock(in_sqlite_);
  return writer_.Finish("collector", true, MonotonicNs()).ok();
}

}  // namespace inquest::collector
