#include "analyzer/importers/common/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "trace/schema_embedded.h"

namespace inquest::importers {
namespace {

Status MakePrivate(const std::string& path) {
  const int fd =
      open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) {
    return Unreadable("cannot write the trace '" + path +
                      "': " + std::strerror(errno));
  }
  close(fd);
  return Status::Ok();
}

}  // namespace

Expected<TraceFile> TraceFile::Create(const std::string& path) {
  RETURN_IF_ERROR(MakePrivate(path));
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
  event_.Bind(0, event.id).Bind(1, event.time_ns);
  event_.Bind(2, static_cast<int64_t>(event.op));
  event_.Bind(3, static_cast<int64_t>(event.kind)).Bind(4, event.device);
  event_.Bind(5, event.context);
  event_.Bind(6, static_cast<int64_t>(event.stream));
  event_.Bind(7, static_cast<int64_t>(event.pool));
  event_.Bind(8, static_cast<int64_t>(event.address)).Bind(9, event.bytes);
  event_.Bind(10, event.result).Bind(11, event.thread);
  return event_.Bind(12, event.stack).Run();
}

Statement* TraceFile::Insert(const char* sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return &found->second;
  Expected<Statement> made = db_.Prepare(sql);
  if (!made.ok() && failure_.ok()) failure_ = made.status();
  Statement statement =
      made.ok() ? made.Take() : Statement::Unprepared(made.status());
  return &statements_.emplace(sql, std::move(statement)).first->second;
}

void TraceFile::Run(Statement* statement) {
  if (!failure_.ok()) return;
  failure_ = statement->Run();
}

void TraceFile::Environment(std::string_view name, std::string_view value) {
  Statement* row = Insert("INSERT OR REPLACE INTO environment VALUES(?,?)");
  Run(&row->Bind(0, name).Bind(1, value));
}

void TraceFile::Coverage(std::string_view source, int64_t from_ns,
                         int64_t to_ns, std::string_view state,
                         std::string_view note) {
  Statement* row = Insert("INSERT INTO coverage VALUES(?,?,?,?,?)");
  row->Bind(0, source).Bind(1, from_ns).BindNull(2);
  if (to_ns != INT64_MAX) row->Bind(2, to_ns);
  Run(&row->Bind(3, state).Bind(4, note));
}

void TraceFile::Loss(std::string_view kind, int64_t count,
                     std::string_view note) {
  if (count == 0) return;
  Statement* row = Insert("INSERT OR REPLACE INTO loss VALUES(?,?,?)");
  Run(&row->Bind(0, kind).Bind(1, count).Bind(2, note));
}

void TraceFile::EnterProcess(int64_t first_ns) {
  Statement* row = Insert("INSERT INTO process VALUES(?,0,?,?,?,?,?,?,?,NULL)");
  row->Bind(0, process_.pid).Bind(1, first_ns).Bind(2, process_.host);
  row->Bind(3, process_.executable).Bind(4, process_.command);
  const std::optional<int64_t> numbers[] = {process_.rank, process_.local_rank,
                                            process_.world_size};
  for (int i = 0; i < 3; ++i) {
    if (numbers[i]) row->Bind(5 + i, *numbers[i]);
  }
  Run(row);
}

Status TraceFile::Finish(int64_t first_ns, int64_t last_ns,
                         std::string_view importer) {
  EnterProcess(first_ns);
  Statement* clock = Insert("INSERT INTO clock_anchor VALUES(?1,?1)");
  Run(&clock->Bind(0, first_ns));
  Statement* meta = Insert(
      "INSERT INTO meta VALUES('schema_version',?1),('clean_end','0'),"
      "('drained_ticket','0'),('finished_by',?2),('end_ns',?3)");
  meta->Bind(0, std::to_string(trace::kSchemaVersion)).Bind(1, importer);
  Run(&meta->Bind(2, std::to_string(last_ns)));
  RETURN_IF_ERROR(failure_);
  event_ = Statement();
  statements_.clear();
  return db_.Execute("COMMIT");
}

}  // namespace inquest::importers
