// SPDX-License-Identifier: Apache-2.0
#include "trace/store/finish.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "trace/journal/journal_reader.h"
#include "trace/records/event.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
namespace {

bool Exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

std::string JournalPath(const std::string& trace_path) {
  std::string stem = trace_path;
  if (stem.size() > kTraceSuffix.size() && stem.ends_with(kTraceSuffix)) {
    stem.resize(stem.size() - kTraceSuffix.size());
  }
  return stem + std::string(kJournalSuffix);
}

// Lets one caller at a time finish a journal.
class FinishLock {
 public:
  ~FinishLock() {
    if (fd_ >= 0) close(fd_);
  }
  FinishLock() = default;
  FinishLock(const FinishLock&) = delete;
  FinishLock& operator=(const FinishLock&) = delete;

  // Waits up to ten seconds until another caller is done.
  Status Take(const std::string& path) {
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd_ < 0) {
      return Unreadable("cannot open the journal '" + path +
                        "': " + std::strerror(errno));
    }
    for (int i = 0; i < 1000; ++i) {
      if (flock(fd_, LOCK_EX | LOCK_NB) == 0) return Status::Ok();
      if (errno != EWOULDBLOCK && errno != EINTR) return Status::Ok();
      const timespec pause{0, 10'000'000};
      nanosleep(&pause, nullptr);
    }
    return Status(StatusCode::kIncomplete,
                  "another program has been finishing '" + path +
                      "' for ten seconds")
        .WithHint("Try again when it is done.");
  }

 private:
  int fd_ = -1;
};

// The collector's last step, which makes the trace one file, may have been
// interrupted by a full disk. SQLite rolls it back, which a read-only
// connection cannot do.
void RollBackUnfinished(const std::string& trace_path) {
  if (!Exists(trace_path + "-journal")) return;
  Expected<Database> db =
      Database::Open(trace_path, Database::Mode::kReadWrite);
  if (db.ok()) (void)db->Execute("SELECT count(*) FROM sqlite_master");
}

// The result for a trace without a journal: it was finished before.
Expected<FinishResult> AlreadyFinished(const std::string& trace_path) {
  RollBackUnfinished(trace_path);
  FinishResult result;
  ASSIGN_OR_RETURN(Database db,
                   Database::Open(trace_path, Database::Mode::kReadOnly));
  Expected<int64_t> version = db.QueryInt("PRAGMA user_version");
  if (!version.ok()) {
    return Unreadable("the trace '" + trace_path +
                      "': " + version.status().message());
  }
  if (*version > kSchemaVersion) {
    return Unreadable("the trace '" + trace_path + "' has schema " +
                      std::to_string(*version) + ", this program reads up to " +
                      std::to_string(kSchemaVersion))
        .WithHint("Use the inquest that recorded it, or a newer one.");
  }
  Expected<int64_t> clean = db.QueryInt(
      "SELECT CAST(value AS INTEGER) FROM meta WHERE key='clean_end'");
  if (!clean.ok()) {
    return Unreadable("'" + trace_path + "' is not a trace of inquest");
  }
  result.clean_end = *clean != 0;
  return result;
}

// The last time at which the process was known to be alive.
int64_t EndTime(const JournalHeader& header, int64_t last_record) {
  return std::max(header.heartbeat_ns.load(), last_record);
}

Status MoveRecords(const JournalReader& journal, TraceWriter* writer,
                   FinishResult* result) {
  const JournalHeader& header = journal.header();
  const uint64_t from =
      std::max(writer->drained_ticket(), header.drained.load());
  int64_t last_time = 0;
  RETURN_IF_ERROR(writer->Begin());
  const JournalReader::Recovered done = journal.Recover(
      from, [&](uint64_t ticket, uint32_t kind, std::string_view payload) {
        writer->Add(ticket, kind, payload);
        last_time = std::max(last_time, TimeOf(kind, payload));
      });
  writer->AddJournalLosses(header, done.torn);
  // These slots were recycled, so they had been stored: the trace has been lost
  // or rolled back since.
  const uint64_t stored = std::max(writer->drained_ticket(), header.slots);
  if (header.drained.load() > stored) {
    writer->Lose("rolled back",
                 static_cast<int64_t>(header.drained.load() - stored),
                 "journal slots that an earlier trace held");
  }
  Status status = writer->Commit(std::max(done.next, from));
  if (!status.ok()) {
    writer->Rollback();
    return status;
  }
  result->recovered = done.records;
  result->torn = done.torn + header.torn.load();
  const bool clean = result->clean_end || writer->clean_end();
  return writer->Finish(clean ? "collector" : "analyzer", clean,
                        EndTime(header, last_time));
}

// If the journal cannot be read, the trace beside it is still useful.
Status BadJournal(const Status& why, const std::string& trace_path) {
  if (!AlreadyFinished(trace_path).ok()) return why;
  return Status(StatusCode::kIncomplete,
                why.message() +
                    "; the last records are missing in the trace beside it")
      .WithHint(why.hint());
}

Status ReadOnlyStatus(const std::string& trace_path) {
  return Status(StatusCode::kIncomplete,
                "the journal beside '" + trace_path +
                    "' holds records that cannot be moved into it: the "
                    "directory is not writable")
      .WithHint("Copy the run to a place where you may write.");
}

}  // namespace

Expected<FinishResult> FinishTrace(const std::string& trace_path) {
  const std::string journal_path = JournalPath(trace_path);
  if (!Exists(journal_path)) return AlreadyFinished(trace_path);
  FinishLock lock;
  Status taken = lock.Take(journal_path);
  // Another caller may have finished and removed it while we waited.
  if (!Exists(journal_path)) return AlreadyFinished(trace_path);
  RETURN_IF_ERROR(taken);

  FinishResult result;
  result.had_journal = true;
  Expected<JournalReader> opened = JournalReader::Open(journal_path);
  if (!opened.ok()) return BadJournal(opened.status(), trace_path);
  JournalReader journal = opened.Take();
  result.clean_end = journal.header().clean_end.load() != 0;
  if (journal.ProcessAlive()) {
    result.process_alive = true;
    return result;
  }
  const std::string::size_type slash = trace_path.rfind('/');
  const std::string directory =
      slash == std::string::npos ? "." : trace_path.substr(0, slash + 1);
  if (access(directory.c_str(), W_OK) != 0 ||
      (Exists(trace_path) && access(trace_path.c_str(), W_OK) != 0)) {
    return ReadOnlyStatus(trace_path);
  }
  ASSIGN_OR_RETURN(
      TraceWriter writer,
      TraceWriter::Open(trace_path, std::numeric_limits<uint64_t>::max()));
  RETURN_IF_ERROR(MoveRecords(journal, &writer, &result));
  unlink(journal_path.c_str());
  return result;
}

}  // namespace inquest::trace
