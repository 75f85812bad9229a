// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "analyzer/facts/derive/comparable_versions.h"
#include "trace/records/event.h"

namespace inquest::facts {
namespace {

constexpr int kTraceApplicationId = 0x494e5155;  // trace/schema.sql
constexpr size_t kMaxAttached = 7;  // SQLite allows ten schemas by default
constexpr const char* kMergedPrefix = "merged.";

// A path as a read-only SQLite URI.
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
            "if it was damaged in transfer, copy it again; the journal beside "
            "it may still have the last events");
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
  RETURN_IF_ERROR(DefineVersionNumber(&store.db_));
  RETURN_IF_ERROR(store.db_.Execute(StoreSchema()));
  RETURN_IF_ERROR(store.db_.Execute(VersionRows()));
  return store;
}

Status Store::AddRun(const RunFacts& run) {
  ASSIGN_OR_RETURN(
      Statement insert,
      db_.Prepare("INSERT INTO store_run VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  return insert.Run(run.directory, run.command, run.host, run.start_time,
                    run.end_time, run.exit_code, run.signal,
                    NullIfEmpty(run.state));
}

Expected<std::string> Store::Attach(const std::string& path) {
  const std::string schema = fmt::format("trace{}", traces_.size() + 1);
  ASSIGN_OR_RETURN(Statement attach, db_.Prepare("ATTACH ? AS " + schema));
  if (Status status = attach.Run(ReadOnlyUri(path)); !status.ok()) {
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
  TraceTablesAt trace{schema + ".", traces() + 1, {}};
  for (const std::string_view table : kAddedTables) {
    ASSIGN_OR_RETURN(
        const int64_t found,
        db_.QueryInt(fmt::format(
            "SELECT count(*) FROM {}.sqlite_schema WHERE name = '{}'", schema,
            table)));
    if (found == 0) trace.missing.emplace(table);
  }
  return trace;
}

std::string Store::TracePrefix(int process) {
  const TraceTablesAt& trace = traces_[static_cast<size_t>(process) - 1];
  if (trace.process != 0) return trace.prefix;
  auto prefix = merged_.PrefixOf(&db_, process);
  return prefix.ok() ? *prefix : "unreadable.";
}

// Adds the row of store_trace. If a later reader finished the trace and the end
// is not clean, the process left its journal behind: it vanished. Imported
// traces do not record an end.
Status Store::Enter(const std::string& path, const std::string& prefix,
                    bool alive) {
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
                       "key = 'clean_end'), 0), CASE WHEN ? THEN 'alive' "
                       "WHEN EXISTS (SELECT 1 FROM {0}meta WHERE key = "
                       "'clean_end' AND value <> '0') THEN 'ended' "
                       "WHEN EXISTS (SELECT 1 FROM {0}meta WHERE key = "
                       "'finished_by' AND value = 'analyzer') THEN 'vanished' "
                       "END",
                       prefix)));
  return insert.Run(traces() + 1, path, offset, alive);
}

Expected<TraceTablesAt> Store::TakeIn(const std::string& path,
                                      const std::string& schema, bool alive) {
  ASSIGN_OR_RETURN(TraceTablesAt trace, TablesAt(schema));
  if (traces_.size() >= kMaxAttached) {
    RETURN_IF_ERROR(merged_.Add(&db_, trace, traces() + 1));
  }
  RETURN_IF_ERROR(Enter(path, trace.prefix, alive));
  return trace;
}

Expected<int> Store::AddTrace(const std::string& path, bool alive) {
  ASSIGN_OR_RETURN(const std::string schema, Attach(path));
  Expected<TraceTablesAt> trace = TakeIn(path, schema, alive);
  const bool merged = traces_.size() >= kMaxAttached;
  if (merged || !trace.ok()) {
    RETURN_IF_ERROR(db_.Execute("DETACH " + schema));
  }
  RETURN_IF_ERROR(trace.status());
  traces_.push_back(trace.Take());
  if (merged) {
    traces_.back().prefix = kMergedPrefix;
    traces_.back().process = 0;
  }
  return traces();
}

// The attached traces one by one and all the merged ones together.
std::vector<TraceTablesAt> Store::Parts() const {
  std::vector<TraceTablesAt> parts(
      traces_.begin(), traces_.begin() + static_cast<std::ptrdiff_t>(std::min(
                                             traces_.size(), kMaxAttached)));
  if (merged_.begun()) parts.push_back({kMergedPrefix, 0, {}});
  // Without traces the facts still exist, with no rows.
  if (parts.empty()) parts.push_back({"empty.", 1, {}});
  return parts;
}

Status Store::DefineFacts() {
  // Most traces lack some tables.
  RETURN_IF_ERROR(db_.Execute("ATTACH ':memory:' AS empty"));
  RETURN_IF_ERROR(db_.Execute(EmptyTraceSchema("empty")));
  for (const Fact& fact : Catalogue()) {
    if (Status status = db_.Execute(CreateViewSql(fact, Parts()));
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
