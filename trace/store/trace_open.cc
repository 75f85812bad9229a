// SPDX-License-Identifier: Apache-2.0
// Opens and creates traces; the rest of trace_writer.h is in trace_writer.cc
// and the trace_*_rows.cc.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "trace/records/event.h"
#include "trace/schema_embedded.h"
#include "trace/store/plain_tables.h"
#include "trace/store/private_file.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
namespace {

// The schema's tables without rows, in place of what is there.
Status WriteEmptyTrace(const std::string& path) {
  unlink(path.c_str());
  ASSIGN_OR_RETURN(const int fd, OpenPrivate(path));
  std::string_view left = embedded::empty_trace_sqlite();
  while (!left.empty()) {
    const ssize_t n = write(fd, left.data(), left.size());
    if (n < 0 && errno != EINTR) break;
    if (n > 0) left.remove_prefix(static_cast<size_t>(n));
  }
  const int error = errno;
  close(fd);
  if (left.empty()) return Status::Ok();
  return Unreadable("cannot write the trace '" + path +
                    "': " + std::strerror(error));
}

// If there is no room for a trace, no file is better than an empty one.
void RemoveEmpty(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && info.st_size == 0) {
    unlink(path.c_str());
  }
}

std::string FirstRows() {
  return "INSERT INTO meta VALUES('schema_version','" +
         std::to_string(kSchemaVersion) +
         "'),('clean_end','0'),('drained_ticket','0')";
}

}  // namespace

Expected<TraceWriter> TraceWriter::Open(const std::string& path,
                                        uint64_t max_bytes) {
  RETURN_IF_ERROR(MakePrivate(path));
  return Open(path, max_bytes, true);
}

Expected<TraceWriter> TraceWriter::CreateUnshared(const std::string& path,
                                                  uint64_t max_bytes) {
  RETURN_IF_ERROR(WriteEmptyTrace(path));
  return Open(path, max_bytes, false);
}

Expected<TraceWriter> TraceWriter::Open(const std::string& path,
                                        uint64_t max_bytes, bool shared) {
  TraceWriter writer(max_bytes);
  ASSIGN_OR_RETURN(writer.db_,
                   Database::Open(path, Database::Mode::kReadWrite));
  writer.shared_ = shared;
  RETURN_IF_ERROR(writer.db_.DefineRows());
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
  RETURN_IF_ERROR(db_.Execute(FirstRows()));
  return budget_.SetUp(&db_);
}

Status TraceWriter::CreateSchema() {
  RETURN_IF_ERROR(db_.Execute("BEGIN IMMEDIATE"));
  RETURN_IF_ERROR(db_.Execute(embedded::schema_sql()));
  return db_.Execute(FirstRows() + ";COMMIT");
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
  // The run may not be trusted; checks of tables would run as rows are added.
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

}  // namespace inquest::trace
