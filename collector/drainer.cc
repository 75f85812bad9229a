#include "collector/drainer.h"

#include <unistd.h>

#include <string_view>

#include "collector/cudnn_hooks.h"
#include "collector/emit.h"
#include "collector/libraries.h"
#include "collector/nvml.h"

namespace inquest::collector {
namespace {

constexpr uint64_t kBatchSlots = 8192;
constexpr int kFailuresAllowed = 3;
constexpr int64_t kAnchorNs = 60'000'000'000;

class Hold {
 public:
  explicit Hold(pthread_mutex_t* mutex) : mutex_(mutex) {
    pthread_mutex_lock(mutex_);
  }
  ~Hold() { pthread_mutex_unlock(mutex_); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  pthread_mutex_t* mutex_;
};

}  // namespace

bool Drainer::Open() {
  Hold hold(in_sqlite_);
  auto opened = trace::TraceWriter::Open(session_->trace_path,
                                         session_->config.max_disk_bytes);
  if (!opened.ok()) {
    SwitchOff(opened.status().message().c_str());
    return false;
  }
  writer_ = opened.Take();
  return true;
}

bool Drainer::DrainAll() {
  while (session_->journal->backlog() > 0) {
    uint64_t records = 0;
    const Status status = Batch(&records);
    if (status.ok()) {
      failures_ = 0;
      if (records == 0) break;  // somebody is still writing the next one
      continue;
    }
    if (++failures_ < kFailuresAllowed) break;
    SwitchOff(("cannot write the trace: " + status.message()).c_str());
    return false;
  }
  return true;
}

Status Drainer::Batch(uint64_t* records) {
  Hold hold(in_sqlite_);
  trace::Journal& journal = *session_->journal;
  RETURN_IF_ERROR(writer_.Begin());
  const trace::Journal::Drained done = journal.Drain(
      [this](uint64_t ticket, uint32_t kind, std::string_view payload) {
        writer_.Add(ticket, kind, payload);
      },
      kBatchSlots);
  writer_.AddJournalLosses(journal.header(), 0);
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
  if (journal.backlog() > journal.header().slots / 2) DrainAll();
}

void Drainer::Housekeep() {
  session_->journal->Heartbeat();
  TellCudnnCounts();
  ScanLibraries(ScanReason::kChange);
  StartNvml();
  const int64_t now = MonotonicNs();
  const int64_t period = session_->config.sample_seconds * 1'000'000'000;
  if (next_sample_ == 0) {
    // The first one as soon as the devices are known.
    if (SampleNvml("start")) next_sample_ = now + period;
  } else if (period > 0 && now >= next_sample_) {
    next_sample_ = now + period;
    SampleNvml("timer");
  }
  if (now >= next_anchor_) {
    next_anchor_ = now + kAnchorNs;
    Emit(trace::ClockAnchorRecord{now, trace::RealtimeNs()});
  }
}

bool Drainer::Finish() {
  Housekeep();
  Emit(trace::ClockAnchorRecord{MonotonicNs(), trace::RealtimeNs()});
  if (!DrainAll() || session_->journal->backlog() > 0) return false;
  {
    Hold hold(in_sqlite_);
    if (!writer_.Finish("collector", true, MonotonicNs()).ok()) return false;
  }
  session_->journal->MarkCleanEnd();
  unlink(session_->journal->path().c_str());
  return true;
}

}  // namespace inquest::collector
