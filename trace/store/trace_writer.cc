// SPDX-License-Identifier: Apache-2.0
#include "trace/store/trace_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "trace/records/event.h"
#include "trace/schema_embedded.h"
#include "trace/store/plain_tables.h"

namespace inquest::trace {
namespace {

// SQLite would create a file that everyone can read; traces contain command
// lines.
Status MakePrivate(const std::string& path) {
  const int fd =
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return Unreadable("cannot write the trace '" + path +
                      "': " + std::strerror(errno));
  }
  close(fd);
  return Status::Ok();
}

// If there is no room for a trace, no file is better than an empty one.
void RemoveEmpty(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && info.st_size == 0) {
    unlink(path.c_str());
  }
}

}  // namespace

Expected<TraceWriter> TraceWriter::Open(const std::string& path,
                                        uint64_t max_bytes) {
  return Open(path, max_bytes, true);
}

Expected<TraceWriter> TraceWriter::CreateUnshared(const std::string& path,
                                                  uint64_t max_bytes) {
  unlink(path.c_str());
  return Open(path, max_bytes, false);
}

Expected<TraceWriter> TraceWriter::Open(const std::string& path,
                                        uint64_t max_bytes, bool shared) {
  RETURN_IF_ERROR(MakePrivate(path));
  TraceWriter writer(max_bytes);
  ASSIGN_OR_RETURN(writer.db_,
                   Database::Open(path, Database::Mode::kReadWrite));
  writer.shared_ = shared;
  Status status = shared ? writer.Prepare() : writer.PrepareUnshared();
  if (!status.ok()) {
    writer.db_ = Database();
    RemoveEmpty(path);
    return Status(status.code(),
                  "the trace '" + path + "': " + status.message())
        .WithHint(status.hint());
  }
  return writer;
}

Status TraceWriter::Prepare() {
  Expected<int64_t> tables = db_.QueryInt("SELECT count(*) FROM sqlite_schema");
  if (!tables.ok()) return Unreadable(tables.status().message());
  // A new trace has nothing to lose to a power failure, and a short process
  // would wait for the disk longer than it works.
  if (*tables == 0) RETURN_IF_ERROR(db_.Execute("PRAGMA synchronous=OFF"));
  RETURN_IF_ERROR(*tables == 0 ? CreateSchema() : CheckSchema());
  // On a file system without shared memory (NFS) SQLite refuses WAL and keeps
  // the rollback journal, which is slower and safe.
  RETURN_IF_ERROR(db_.Execute("PRAGMA journal_mode=WAL"));
  RETURN_IF_ERROR(db_.Execute("PRAGMA synchronous=NORMAL"));
  RETURN_IF_ERROR(budget_.SetUp(&db_));
  return LoadState();
}

Status TraceWriter::PrepareUnshared() {
  RETURN_IF_ERROR(
      db_.Execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=OFF; "
                  "PRAGMA synchronous=OFF"));
  RETURN_IF_ERROR(CreateSchema());
  return budget_.SetUp(&db_);
}

Status TraceWriter::CreateSchema() {
  RETURN_IF_ERROR(db_.Execute("BEGIN IMMEDIATE"));
  RETURN_IF_ERROR(db_.Execute(embedded::schema_sql()));
  return db_.Execute("INSERT INTO meta VALUES('schema_version','" +
                     std::to_string(kSchemaVersion) +
                     "'),('clean_end','0'),('drained_ticket','0');COMMIT");
}

Status TraceWriter::CheckSchema() {
  ASSIGN_OR_RETURN(const int64_t id, db_.QueryInt("PRAGMA application_id"));
  ASSIGN_OR_RETURN(const int64_t version, db_.QueryInt("PRAGMA user_version"));
  if (id != 0x494e5155) return Unreadable("is not a trace of inquest");
  if (version > kSchemaVersion) {
    return Unreadable("has schema " + std::to_string(version) +
                      ", this program reads up to " +
                      std::to_string(kSchemaVersion))
        .WithHint("Use the inquest that recorded it, or a newer one.");
  }
  // A run of a stranger; checks of tables would run as rows are added.
  RETURN_IF_ERROR(CheckPlainTables(&db_, "main"));
  RETURN_IF_ERROR(db_.Execute("PRAGMA ignore_check_constraints=ON"));
  return AddNewTables();
}

// A trace begun by an older program of the same schema does not have the tables
// that were added since.
Status TraceWriter::AddNewTables() {
  static constexpr std::string_view kCreate = "CREATE TABLE ";
  std::string sql(embedded::schema_sql());
  for (size_t at = sql.find(kCreate); at != sql.npos;
       at = sql.find(kCreate, at + kCreate.size())) {
    sql.insert(at + kCreate.size(), "IF NOT EXISTS ");
  }
  RETURN_IF_ERROR(db_.Execute("BEGIN IMMEDIATE"));
  RETURN_IF_ERROR(db_.Execute(sql));
  return db_.Execute("COMMIT");
}

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
