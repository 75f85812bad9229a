// SPDX-License-Identifier: Apache-2.0
#include "trace/store/finish.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

#include "base/input_file.h"
#include "trace/records/event.h"
#include "trace/store/left_journal.h"
#include "trace/store/live_trace.h"
#include "trace/store/plain_tables.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
namespace {

bool Exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
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
    ASSIGN_OR_RETURN(InputFile file,
                     InputFile::Open("the journal", path, Links::kRefuse));
    fd_ = file.Release();
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

// The result for a trace without a journal: it was finished before. `frozen`:
// nothing may be written beside it.
Expected<FinishResult> AlreadyFinished(const std::string& trace_path,
                                       bool frozen = false) {
  if (!frozen) RollBackUnfinished(trace_path);
  FinishResult result;
  const std::string opened =
      frozen ? Database::ReadOnlyUri(trace_path, true) : trace_path;
  ASSIGN_OR_RETURN(Database db,
                   Database::Open(opened, Database::Mode::kReadOnly));
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
  if (Status plain = CheckPlainTables(&db, "main"); !plain.ok()) {
    return Unreadable("the trace '" + trace_path + "': " + plain.message())
        .WithHint(plain.hint());
  }
  Expected<int64_t> clean = db.QueryInt(
      "SELECT CAST(value AS INTEGER) FROM meta WHERE key='clean_end'");
  if (!clean.ok()) {
    return Unreadable("'" + trace_path + "' is not a trace of inquest");
  }
  result.clean_end = *clean != 0;
  return result;
}

// If the journal cannot be read, the trace beside it is still useful.
Status BadJournal(const Status& why, const std::string& trace_path) {
  if (!AlreadyFinished(trace_path).ok()) return why;
  return Status(StatusCode::kIncomplete,
                why.message() +
                    "; the last records are missing in the trace beside it")
      .WithHint(why.hint());
}

std::vector<std::string> PathsOf(const TraceFiles& files) {
  std::vector<std::string> paths;
  for (const std::string& name : files.journals) {
    paths.push_back(files.folder + name);
  }
  return paths;
}

// A statement that SQLite does not understand names a column that the trace
// lacks.
Status OfTheTrace(const Status& why, const std::string& message) {
  const bool damaged = why.code() == StatusCode::kInternal;
  return Status(damaged ? StatusCode::kUnreadable : why.code(), message)
      .WithHint(why.hint());
}

// For files that nobody else writes: moves the records into the trace.
Expected<FinishResult> Move(const std::string& trace_path, Segments* segments) {
  FinishResult result;
  result.had_journal = true;
  auto writer =
      TraceWriter::Open(trace_path, std::numeric_limits<uint64_t>::max());
  if (!writer.ok()) {
    return OfTheTrace(writer.status(), writer.status().message());
  }
  const Expected<Moved> moved = MoveRecords(segments, &*writer);
  if (!moved.ok()) {
    return OfTheTrace(moved.status(), "the trace '" + trace_path +
                                          "': " + moved.status().message());
  }
  result.clean_end = moved->clean_end;
  result.recovered = moved->records;
  result.torn = moved->torn;
  return result;
}

FinishResult StillAlive(const std::string& trace_path) {
  FinishResult result;
  result.had_journal = true;
  result.process_alive = true;
  result.nothing_yet = HasNoTable(trace_path);
  return result;
}

Expected<FinishResult> FinishCopy(const PrivateCopy& copy, ProcessState state) {
  const std::string path = copy.trace_path();
  ASSIGN_OR_RETURN(const TraceFiles files, LookAtTrace(path));
  if (state == ProcessState::kAlive) {
    RETURN_IF_ERROR(Settle(path));
    return StillAlive(path);
  }
  if (files.journals.empty()) return AlreadyFinished(path);
  Expected<Segments> segments = OpenSegments(PathsOf(files));
  if (!segments.ok()) return BadJournal(segments.status(), path);
  return Move(path, &*segments);
}

// For a trace that is not ours to write: finishes a copy.
Expected<FinishResult> FinishElsewhere(const TraceFiles& files,
                                       ProcessState state) {
  ASSIGN_OR_RETURN(std::unique_ptr<PrivateCopy> copy,
                   PrivateCopy::Make(files, state != ProcessState::kAlive));
  Expected<FinishResult> result = FinishCopy(*copy, state);
  if (!result.ok()) return copy->InWordsOfTheOriginal(result.status());
  result->copy = std::move(copy);
  return result;
}

// For a trace in a directory that is ours.
Expected<FinishResult> FinishHere(const std::string& trace_path,
                                  const TraceFiles& found) {
  FinishLock lock;
  Status taken = lock.Take(found.folder + found.journals.front());
  // Another caller may have finished and removed them while we waited.
  ASSIGN_OR_RETURN(const TraceFiles files, LookAtTrace(trace_path));
  if (files.journals.empty()) return AlreadyFinished(trace_path);
  RETURN_IF_ERROR(taken);
  const std::vector<std::string> paths = PathsOf(files);
  Expected<Segments> segments = OpenSegments(paths);
  if (!segments.ok()) return BadJournal(segments.status(), trace_path);
  const ProcessState state = StateOf(*segments);
  const bool alive = state == ProcessState::kAlive;
  if (alive && !NeedsRollback(trace_path)) return StillAlive(trace_path);
  if (state != ProcessState::kDead) return FinishElsewhere(files, state);
  ASSIGN_OR_RETURN(FinishResult result, Move(trace_path, &*segments));
  // The first at last: it is the one that a caller looks for.
  for (auto at = paths.rbegin(); at != paths.rend(); ++at) unlink(at->c_str());
  // A trace that the process did not complete: the journal had all of it.
  unlink((trace_path + ".new").c_str());
  return result;
}

// What a journal that we cannot lock shows of its process.
ProcessState StateOf(const TraceFiles& files) {
  const Expected<Segments> segments = OpenSegments(PathsOf(files));
  return segments.ok() && !segments->empty() ? StateOf(*segments)
                                             : ProcessState::kUnproven;
}

}  // namespace

Expected<FinishResult> FinishTrace(const std::string& trace_path) {
  ASSIGN_OR_RETURN(const TraceFiles files, LookAtTrace(trace_path));
  if (files.ours && !files.journals.empty()) {
    return FinishHere(trace_path, files);
  }
  if (files.ours) return AlreadyFinished(trace_path);
  if (files.unfinished) return FinishElsewhere(files, StateOf(files));
  return AlreadyFinished(trace_path, true);
}

}  // namespace inquest::trace
