// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/trace_file.h"

#include <fcntl.h>

#include "base/secrets/secrets.h"
#include "trace/schema_embedded.h"
#include "trace/store/private_file.h"

namespace inquest::importers {
Expected<TraceFile> TraceFile::Create(const std::string& path) {
  RETURN_IF_ERROR(trace::MakePrivate(path, O_TRUNC));
  TraceFile file;
  ASSIGN_OR_RETURN(file.db_, Database::Open(path, Database::Mode::kReadWrite));
  RETURN_IF_ERROR(
      file.db_.Execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
                       "PRAGMA cache_size=-16384; BEGIN"));
  RETURN_IF_ERROR(file.db_.Execute(trace::embedded::schema_sql()));
  RETURN_IF_ERROR(file.db_.Execute(trace::embedded::imports_sql()));
  ASSIGN_OR_RETURN(file.event_,
                   file.db_.Prepare("INSERT INTO memory_event VALUES"
                                    "(?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  return file;
}

Status TraceFile::Add(const TraceEvent& event) {
  return event_.Run(event.id, event.time_ns, event.op, event.kind, event.device,
                    event.context, event.stream, event.pool, event.address,
                    event.bytes, event.result, event.thread, event.stack);
}

Statement* TraceFile::InsertInto(const char* table, size_t columns) {
  if (const auto found = statements_.find(table); found != statements_.end()) {
    return &found->second;
  }
  std::string sql = "INSERT OR REPLACE INTO " + std::string(table) + " VALUES(";
  for (size_t i = 0; i < columns; ++i) sql += i == 0 ? "?" : ",?";
  return Prepared(table, sql + ")");
}

Statement* TraceFile::Prepared(const char* key, const std::string& sql) {
  const auto found = statements_.find(key);
  if (found != statements_.end()) return &found->second;
  Expected<Statement> made = db_.Prepare(sql);
  Statement statement =
      made.ok() ? made.Take() : Statement::Unprepared(made.status());
  return &statements_.emplace(key, std::move(statement)).first->second;
}

void TraceFile::Environment(std::string_view name, std::string_view value) {
  AddRow("environment", name, MaskVariable(name, value));
}

void TraceFile::Coverage(std::string_view source, int64_t from_ns,
                         int64_t to_ns, std::string_view state,
                         std::string_view note) {
  std::optional<int64_t> end;
  if (to_ns != INT64_MAX) end = to_ns;
  AddRow("coverage", source, from_ns, end, state, note);
}

void TraceFile::Loss(std::string_view kind, int64_t count,
                     std::string_view note) {
  if (count != 0) AddRow("loss", kind, count, note);
}

void TraceFile::AddProcess(int64_t first_ns) {
  AddRow("process", process_.pid, 0, first_ns, process_.host,
         process_.executable, MaskSecrets(process_.command), process_.rank,
         process_.local_rank, process_.world_size, nullptr);
}

Status TraceFile::Finish(int64_t first_ns, int64_t last_ns,
                         std::string_view importer) {
  AddProcess(first_ns);
  AddRow("clock_anchor", first_ns, first_ns);
  Execute(
      "INSERT INTO meta VALUES('schema_version',?),('clean_end','0'),"
      "('drained_ticket','0'),('finished_by',?),('end_ns',?)",
      std::to_string(trace::kSchemaVersion), importer, std::to_string(last_ns));
  RETURN_IF_ERROR(failure_);
  event_ = Statement();
  statements_.clear();
  return db_.Execute("COMMIT");
}

}  // namespace inquest::importers
