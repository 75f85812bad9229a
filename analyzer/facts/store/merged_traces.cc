// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/merged_traces.h"

#include <fmt/format.h>

namespace inquest::facts {
namespace {

constexpr std::string_view kCurrent = "store_current_";

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

Status MergedTraces::Begin(Database* db) {
  RETURN_IF_ERROR(
      db->Execute("ATTACH '' AS merged; ATTACH ':memory:' AS shape;"
                  "CREATE TABLE merged.store_current (process INTEGER);"
                  "INSERT INTO merged.store_current VALUES (0)"));
  RETURN_IF_ERROR(db->Execute(EmptyTraceSchema("shape")));
  ASSIGN_OR_RETURN(
      const auto tables,
      db->QueryTexts(
          "SELECT name FROM shape.sqlite_schema WHERE type = 'table'"));
  for (const std::string& table : tables) {
    RETURN_IF_ERROR(MakeTable(db, table));
  }
  return db->Execute("DETACH shape");
}

Status MergedTraces::Copy(Database* db, const TraceTablesAt& trace,
                          int process) {
  for (const Table& table : tables_) {
    if (trace.missing.contains(table.name)) continue;
    RETURN_IF_ERROR(db->Execute(fmt::format(
        "INSERT INTO merged.{0} (process, {1}) SELECT {2}, {1} FROM {3}{0}",
        table.name, table.columns, process, trace.prefix)));
  }
  return Status::Ok();
}

Status MergedTraces::Add(Database* db, const TraceTablesAt& trace,
                         int process) {
  if (!begun()) RETURN_IF_ERROR(Begin(db));
  RETURN_IF_ERROR(db->Execute("SAVEPOINT merge"));
  const Status copied = Copy(db, trace, process);
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
