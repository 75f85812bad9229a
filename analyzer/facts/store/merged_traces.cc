// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/merged_traces.h"

#include <fmt/format.h>

#include "trace/records/event.h"

namespace inquest::facts {
namespace {

constexpr std::string_view kCurrent = "store_current_";

// Of a trace with more memory events than that, most are left out of a file of
// facts; one with fewer is replayed by the advice's check (check_advice.cc).
constexpr int64_t kFewEvents = 30'000;

// The events that facts, rules and reports read one by one: refused requests,
// the last one granted, the first and the last.
std::string CondensedEvents(const std::string& prefix) {
  return fmt::format(
      " WHERE (SELECT count(*) FROM {0}memory_event) <= {1} OR result <> 0 OR "
      "id IN (SELECT min(id) FROM {0}memory_event UNION SELECT max(id) FROM "
      "{0}memory_event UNION SELECT * FROM (SELECT id FROM {0}memory_event "
      "WHERE op = {2} AND result = 0 ORDER BY id DESC LIMIT 1))",
      prefix, kFewEvents, static_cast<int>(trace::MemoryOp::kAlloc));
}

}  // namespace

// Makes a table of the same columns, indexed by process and key, and a view of
// the current process's rows.
Status MergedTraces::MakeTable(Database* db, const std::string& name) {
  const std::string columns =
      fmt::format("SELECT name FROM pragma_table_info('{}', 'shape')", name);
  ASSIGN_OR_RETURN(const auto all, db->QueryTexts(columns));
  ASSIGN_OR_RETURN(const auto key,
                   db->QueryTexts(columns + " WHERE pk > 0 ORDER BY pk"));
  RETURN_IF_ERROR(db->Execute(
      fmt::format("CREATE TABLE merged.{0} AS "
                  "SELECT CAST(0 AS INTEGER) AS process, * FROM shape.{0};"
                  "CREATE INDEX merged.{0}_by_process ON {0} (process{1}{2});"
                  "CREATE TEMP VIEW {3}{0} AS SELECT {4} FROM merged.{0}"
                  " WHERE process = (SELECT process FROM merged.store_current)",
                  name, key.empty() ? "" : ", ", fmt::join(key, ", "), kCurrent,
                  fmt::join(all, ", "))));
  tables_.push_back({name, fmt::format("{}", fmt::join(all, ", "))});
  return Status::Ok();
}

Status MergedTraces::Begin(Database* db, const std::string& path) {
  ASSIGN_OR_RETURN(Statement attach, db->Prepare("ATTACH ? AS merged"));
  RETURN_IF_ERROR(attach.Run(path));
  RETURN_IF_ERROR(
      db->Execute("PRAGMA merged.journal_mode=MEMORY;"
                  "PRAGMA merged.synchronous=OFF;"
                  "CREATE TABLE merged.store_current (process INTEGER);"
                  "INSERT INTO merged.store_current VALUES (0)"));
  RETURN_IF_ERROR(db->AttachImage("shape", EmptyTrace()));
  ASSIGN_OR_RETURN(
      const auto tables,
      db->QueryTexts(
          "SELECT name FROM shape.sqlite_schema WHERE type = 'table'"));
  for (const std::string& table : tables) {
    RETURN_IF_ERROR(MakeTable(db, table));
  }
  return db->Execute("DETACH shape");
}

Status MergedTraces::Copy(Database* db, const TraceTablesAt& trace, int process,
                          bool condensed) {
  for (const Table& table : tables_) {
    if (trace.missing.contains(table.name)) continue;
    const bool some = condensed && table.name == "memory_event";
    RETURN_IF_ERROR(db->Execute(fmt::format(
        "INSERT INTO merged.{0} (process, {1}) SELECT {2}, {1} FROM {3}{0}{4}",
        table.name, table.columns, process, trace.prefix,
        some ? CondensedEvents(trace.prefix) : "")));
  }
  return Status::Ok();
}

Status MergedTraces::TakeIn(Database* db, const std::string& schema,
                            int before) {
  for (const Table& table : tables_) {
    RETURN_IF_ERROR(db->Execute(fmt::format(
        "INSERT INTO merged.{0} (process, {1}) SELECT process + {2}, {1} FROM "
        "{3}.{0} ORDER BY rowid",
        table.name, table.columns, before, schema)));
  }
  return Status::Ok();
}

Status MergedTraces::Add(Database* db, const TraceTablesAt& trace, int process,
                         bool condensed) {
  if (!begun()) RETURN_IF_ERROR(Begin(db));
  RETURN_IF_ERROR(db->Execute("SAVEPOINT merge"));
  const Status copied = Copy(db, trace, process, condensed);
  if (!copied.ok()) RETURN_IF_ERROR(db->Execute("ROLLBACK TO merge"));
  RETURN_IF_ERROR(db->Execute("RELEASE merge"));
  return copied;
}

Expected<std::string> MergedTraces::PrefixOf(Database* db, int process) {
  if (current_ != process) {
    RETURN_IF_ERROR(db->Execute(
        fmt::format("UPDATE merged.store_current SET process = {}", process)));
    current_ = process;
  }
  return std::string(kCurrent);
}

}  // namespace inquest::facts
