// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>

#include "analyzer/facts/derive/comparable_versions.h"
#include "analyzer/facts/store/columns.h"
#include "analyzer/facts/store/salvage.h"
#include "base/capped_sum.h"
#include "store_images.h"
#include "trace/records/event.h"
#include "trace/store/plain_tables.h"

namespace inquest::facts {
namespace {

constexpr int kTraceApplicationId = 0x494e5155;  // trace/schema.sql
constexpr size_t kMaxAttached = 7;  // SQLite allows ten schemas by default
constexpr int64_t kMaxOffset = int64_t{1} << 61;  // 73 years, ns
constexpr const char* kMergedPrefix = "merged.";

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
  if (HasKnownTables(&db, schema)) return Status::Ok();
  const Status plain = trace::CheckPlainTables(&db, schema);
  if (!plain.ok()) {
    return Unreadable(fmt::format("'{}' cannot be read as a trace: {}", path,
                                  plain.message()))
        .WithHint(plain.hint());
  }
  ASSIGN_OR_RETURN(const std::string missing, MissingColumn(&db, schema));
  if (missing.empty()) return Status::Ok();
  return Unreadable(fmt::format("'{}' cannot be read as a trace: it lacks the "
                                "column {}",
                                path, missing))
      .WithHint("if it was damaged in transfer, copy it again");
}

// The tables of the facts, with the versions that are known. Executing their
// SQL takes a twelfth of a short log's diagnosis.
Expected<std::string> UnpackStore() {
  constexpr size_t kMaxBytes = size_t{1} << 19;
  const std::string_view packed = images::store_sqlite_zlib();
  std::string image(kMaxBytes, '\0');
  uLongf size = kMaxBytes;
  if (uncompress(reinterpret_cast<Bytef*>(image.data()), &size,
                 reinterpret_cast<const Bytef*>(packed.data()),
                 packed.size()) != Z_OK) {
    return Internal("cannot unpack the tables of the facts");
  }
  image.resize(size);
  return image;
}

}  // namespace

Expected<Store> Store::Create() {
  Store store;
  ASSIGN_OR_RETURN(store.db_, Database::Open("", Database::Mode::kCreate));
  RETURN_IF_ERROR(
      store.db_.Execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
                        "PRAGMA cache_size=-32768; PRAGMA temp_store=FILE;"));
  RETURN_IF_ERROR(DefineVersionNumber(&store.db_));
  RETURN_IF_ERROR(CapSums(&store.db_));
  ASSIGN_OR_RETURN(const std::string image, UnpackStore());
  RETURN_IF_ERROR(store.db_.CopyImage(image));
  return store;
}

Status Store::AddRun(const RunFacts& run) {
  ASSIGN_OR_RETURN(
      Statement insert,
      db_.Prepare("INSERT INTO store_run VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, "
                  "?)"));
  RETURN_IF_ERROR(insert.Run(run.directory, run.command, run.host,
                             run.start_time, run.end_time, run.exit_code,
                             run.signal, run.collector, NullIfEmpty(run.state),
                             NullIfEmpty(run.slurm_job)));
  RETURN_IF_ERROR(AddGroups(run.start_time.value_or(0), run.groups_before));
  return AddGroups(run.end_time.value_or(0), run.groups_after);
}

Status Store::AddGroups(int64_t time, const std::vector<MemoryGroup>& groups) {
  ASSIGN_OR_RETURN(
      Statement insert,
      db_.Prepare(
          "INSERT INTO store_run_group VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  for (const MemoryGroup& group : groups) {
    RETURN_IF_ERROR(insert.Run(time, group.path, group.limit_bytes,
                               group.used_bytes, group.peak_bytes,
                               group.refusals, group.ooms, group.oom_kills));
  }
  return Status::Ok();
}

// What can be read of a damaged trace takes its place.
Status Store::SalvageIfDamaged(const std::string& schema,
                               const std::string& path,
                               const std::string& uri) {
  ASSIGN_OR_RETURN(const bool damaged, IsDamaged(&db_, schema, thoroughly_));
  if (!damaged) return Status::Ok();
  ASSIGN_OR_RETURN(const std::string rows, Salvage(&db_, schema, uri));
  damage_ = Unreadable(fmt::format("the trace '{}' is damaged; what could "
                                   "still be read of its damaged tables: {}",
                                   path, rows))
                .WithHint(
                    "the rest is lost; if it was damaged in transfer, copy it "
                    "again");
  return Status::Ok();
}

Expected<std::string> Store::Attach(const TraceInput& trace) {
  const std::string& path = trace.path;
  const std::string uri = Database::ReadOnlyUri(
      trace.read_at.empty() ? path : trace.read_at, trace.frozen);
  const std::string schema = fmt::format("trace{}", traces_.size() + 1);
  ASSIGN_OR_RETURN(Statement attach, db_.Prepare("ATTACH ? AS " + schema));
  if (Status status = attach.Run(uri); !status.ok()) {
    return Unreadable(
        fmt::format("cannot open the trace '{}': {}", path, status.message()));
  }
  Status status = CheckIdentity(db_, schema, path);
  if (status.ok()) status = SalvageIfDamaged(schema, path, uri);
  if (status.ok()) return schema;
  (void)db_.Execute("DETACH " + schema);
  return status;
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
  // No sum of a time and the offset may overflow.
  offsets_.push_back(std::clamp(offset, -kMaxOffset, kMaxOffset));
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
  if (attached_ >= kMaxAttached) {
    RETURN_IF_ERROR(merged_.Add(&db_, trace, traces() + 1));
  }
  RETURN_IF_ERROR(Enter(path, trace.prefix, alive));
  return trace;
}

Expected<int> Store::AddTrace(const TraceInput& input) {
  ASSIGN_OR_RETURN(const std::string schema, Attach(input));
  Expected<TraceTablesAt> trace = TakeIn(input.path, schema, input.alive);
  const bool merged = attached_ >= kMaxAttached;
  if (merged || !trace.ok()) {
    RETURN_IF_ERROR(db_.Execute("DETACH " + schema));
  }
  RETURN_IF_ERROR(trace.status());
  traces_.push_back(trace.Take());
  paths_.push_back(input.path);
  left_out_.push_back(0);
  attached_ += merged ? 0 : 1;
  if (merged) {
    traces_.back().prefix = kMergedPrefix;
    traces_.back().process = 0;
  }
  return traces();
}

// The attached traces one by one and all the merged ones together.
std::vector<TraceTablesAt> Store::Parts() const {
  std::vector<TraceTablesAt> parts;
  for (const TraceTablesAt& trace : traces_) {
    if (trace.process != 0) parts.push_back(trace);
  }
  if (merged_.begun()) parts.push_back({kMergedPrefix, 0, {}});
  // Without traces the facts still exist, with no rows.
  if (parts.empty()) parts.push_back({"empty.", 1, {}});
  return parts;
}

// For the tables that traces lack.
Status Store::AttachEmptyTrace() {
  if (std::exchange(has_empty_trace_, true)) return Status::Ok();
  return db_.AttachImage("empty", EmptyTrace());
}

Status Store::WithFact(const std::string& name,
                       const std::function<Status()>& work) {
  RETURN_IF_ERROR(AttachEmptyTrace());
  RETURN_IF_ERROR(db_.Execute(CreateViewSql(*FindFact(name), Parts())));
  const Status status = work();
  RETURN_IF_ERROR(db_.Execute("DROP VIEW temp." + name));
  return status;
}

Status Store::DefineFacts() {
  RETURN_IF_ERROR(AttachEmptyTrace());
  RETURN_IF_ERROR(db_.Execute("PRAGMA writable_schema=ON; BEGIN"));
  RETURN_IF_ERROR(AddViews());
  return db_.Execute("COMMIT; PRAGMA writable_schema=RESET");
}

// As rows of the schema, which SQLite then reads: CREATE VIEW would write each
// with two more statements of its own, three times as slow.
Status Store::AddViews() {
  constexpr std::string_view kTemporary = "CREATE TEMP VIEW ";
  ASSIGN_OR_RETURN(
      Statement add,
      db_.Prepare(
          "INSERT INTO temp.sqlite_schema VALUES ('view', ?1, ?1, 0, ?2)"));
  for (const Fact& fact : Catalogue()) {
    std::string sql = CreateViewSql(fact, Parts());
    sql.replace(sql.find(kTemporary), kTemporary.size(), "CREATE VIEW ");
    sql.resize(sql.rfind(';'));
    RETURN_IF_ERROR(add.Run(fact.name, sql));
  }
  return Status::Ok();
}

Status Store::NameDamage(const Status& status) {
  if (status.code() != StatusCode::kUnreadable) return status;
  std::string names;
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (traces_[i].process == 0) continue;
    std::string schema = traces_[i].prefix;
    schema.pop_back();  // the dot
    const auto damaged = IsDamaged(&db_, schema, true);
    if (damaged.ok() && !*damaged) continue;
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", paths_[i]);
  }
  if (names.empty()) return status;
  return Unreadable(fmt::format("the trace {} is damaged: {}", names,
                                status.message()))
      .WithHint("if it was damaged in transfer, copy it again");
}

bool Store::HasRows(const std::string& fact) {
  if (FindFact(fact) == nullptr) return false;
  auto found = db_.QueryInt("SELECT EXISTS (SELECT 1 FROM " + fact + ")");
  return found.ok() && *found != 0;
}

}  // namespace inquest::facts
