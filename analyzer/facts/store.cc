#include "analyzer/facts/store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "analyzer/facts/versions.h"
#include "trace/event.h"

namespace inquest::facts {
namespace {

constexpr int kTraceApplicationId = 0x494e5155;  // trace/schema.sql
constexpr size_t kMostAttached = 7;  // SQLite allows ten schemas by default

// A path as an SQLite URI that can only be read.
std::string ReadOnlyUri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = isalnum(static_cast<unsigned char>(c)) || c == '/' ||
                       c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c)
                 : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri + "?mode=ro";
}

Status CheckIdentity(Database& db, const std::string& schema,
                     const std::string& path) {
  auto id = db.QueryInt("PRAGMA " + schema + ".application_id");
  if (!id.ok()) {
    return Unreadable(fmt::format("'{}' cannot be read as a trace: {}", path,
                                  id.status().message()))
        .WithHint(
            "if it was damaged on the way, copy it again; the journal "
            "beside it may still hold the last events");
  }
  if (*id != kTraceApplicationId) {
    return Unreadable(fmt::format(
        "'{}' is an SQLite database but not a trace of inquest", path));
  }
  ASSIGN_OR_RETURN(const int64_t version,
                   db.QueryInt("PRAGMA " + schema + ".user_version"));
  if (version > trace::kSchemaVersion) {
    return Unreadable(fmt::format("'{}' has trace schema {}, this program "
                                  "reads up to {}",
                                  path, version, trace::kSchemaVersion))
        .WithHint("use the inquest that recorded it, or a newer one");
  }
  return Status::Ok();
}

}  // namespace

Expected<Store> Store::Create() {
  Store store;
  ASSIGN_OR_RETURN(store.db_, Database::Open("", Database::Mode::kCreate));
  RETURN_IF_ERROR(
      store.db_.Execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
                        "PRAGMA cache_size=-32768; PRAGMA temp_store=FILE;"));
  RETURN_IF_ERROR(store.db_.Execute(StoreSchema()));
  RETURN_IF_ERROR(store.db_.Execute(VersionTables()));
  RETURN_IF_ERROR(DefineVersionNumber(&store.db_));
  return store;
}

Status Store::AddRun(const RunFacts& run) {
  ASSIGN_OR_RETURN(
      Statement insert,
      db_.Prepare("INSERT INTO store_run VALUES (?, ?, ?, ?, ?, ?, ?)"));
  insert.Bind(0, run.directory).Bind(1, run.command).Bind(2, run.host);
  const std::optional<int64_t> numbers[] = {run.start_time, run.end_time,
                                            run.exit_code, run.signal};
  for (int i = 0; i < 4; ++i) {
    if (numbers[i]) insert.Bind(3 + i, *numbers[i]);
  }
  return insert.Run();
}

Expected<std::string> Store::Attach(const std::string& path) {
  const std::string schema = fmt::format("trace{}", traces_.size() + 1);
  ASSIGN_OR_RETURN(Statement attach, db_.Prepare("ATTACH ? AS " + schema));
  attach.Bind(0, ReadOnlyUri(path));
  if (Status status = attach.Run(); !status.ok()) {
    return Unreadable(
        fmt::format("cannot open the trace '{}': {}", path, status.message()));
  }
  if (Status status = CheckIdentity(db_, schema, path); !status.ok()) {
    (void)db_.Execute("DETACH " + schema);
    return status;
  }
  return schema;
}

Expected<TraceTablesAt> Store::TablesAt(const std::string& schema) {
  TraceTablesAt trace{schema + ".", {}};
  for (const std::string_view table : kAddedTables) {
    ASSIGN_OR_RETURN(
        const int64_t found,
        db_.QueryInt(fmt::format(
            "SELECT count(*) FROM {}.sqlite_schema WHERE name = '{}'", schema,
            table)));
    if (found == 0) trace.lacking.emplace(table);
  }
  return trace;
}

// Beyond what SQLite can attach, a trace's tables are copied.
Status Store::CopyIntoMerged(const std::string& from, const std::string& to) {
  if (traces_.size() == kMostAttached) {
    RETURN_IF_ERROR(db_.Execute("ATTACH '' AS merged"));
  }
  std::vector<std::string> tables;
  ASSIGN_OR_RETURN(Statement names,
                   db_.Prepare("SELECT name FROM " + from +
                               ".sqlite_schema WHERE type = 'table'"));
  while (names.Step()) tables.emplace_back(names.Text(0));
  RETURN_IF_ERROR(names.status());
  names = Statement();
  for (const std::string& table : tables) {
    RETURN_IF_ERROR(db_.Execute(fmt::format(
        "CREATE TABLE {}{} AS SELECT * FROM {}.{}", to, table, from, table)));
  }
  return db_.Execute("DETACH " + from);
}

Expected<int> Store::AddTrace(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string schema, Attach(path));
  const int process = static_cast<int>(traces_.size()) + 1;
  ASSIGN_OR_RETURN(TraceTablesAt trace, TablesAt(schema));
  std::string& prefix = trace.prefix;
  if (traces_.size() >= kMostAttached) {
    prefix = fmt::format("merged.t{}_", process);
    RETURN_IF_ERROR(CopyIntoMerged(schema, prefix));
  }
  traces_.push_back(trace);
  ASSIGN_OR_RETURN(
      const int64_t offset,
      db_.QueryInt(fmt::format("SELECT realtime_ns - monotonic_ns FROM "
                               "{}clock_anchor ORDER BY rowid LIMIT 1",
                               prefix)));
  offsets_.push_back(offset);
  ASSIGN_OR_RETURN(Statement insert,
                   db_.Prepare(fmt::format(
                       "INSERT INTO store_trace SELECT ?, ?, ?, "
                       "coalesce((SELECT CAST(value AS INTEGER) FROM {0}meta "
                       "WHERE key = 'end_ns'), 0), coalesce((SELECT "
                       "CAST(value AS INTEGER) FROM {0}meta WHERE "
                       "key = 'clean_end'), 0)",
                       prefix)));
  insert.Bind(0, int64_t{process}).Bind(1, path).Bind(2, offset);
  RETURN_IF_ERROR(insert.Run());
  return process;
}

Status Store::DefineFacts() {
  // What no trace has exists all the same, with no rows.
  std::vector<TraceTablesAt> traces = traces_;
  if (traces.empty()) traces.push_back({"empty.", {}});
  const bool complete =
      !traces_.empty() &&
      std::all_of(traces_.begin(), traces_.end(),
                  [](const auto& trace) { return trace.lacking.empty(); });
  if (!complete) {
    RETURN_IF_ERROR(db_.Execute("ATTACH ':memory:' AS empty"));
    RETURN_IF_ERROR(db_.Execute(EmptyTraceSchema("empty")));
  }
  for (const Fact& fact : Catalogue()) {
    if (Status status = db_.Execute(CreateViewSql(fact, traces));
        !status.ok()) {
      return Internal("fact '" + fact.name + "': " + status.message());
    }
  }
  return Status::Ok();
}

bool Store::HasRows(const std::string& fact) {
  if (FindFact(fact) == nullptr) return false;
  auto found = db_.QueryInt("SELECT EXISTS (SELECT 1 FROM " + fact + ")");
  return found.ok() && *found != 0;
}

}  // namespace inquest::facts
