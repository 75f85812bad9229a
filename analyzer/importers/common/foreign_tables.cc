// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/foreign_tables.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "base/database_hooks.h"

namespace inquest::importers {
namespace {

constexpr int kMaxValueBytes = 64 << 20;
constexpr size_t kMaxTables = 2000;

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

}  // namespace

Status ForeignTables::Restrict() {
  DistrustSchema(&db_);
  SetSqlLimit(&db_, SqlLimit::kLength, kMaxValueBytes);
  SetSqlLimit(&db_, SqlLimit::kAttached, 0);
  return db_.Execute(
      "PRAGMA query_only=1; PRAGMA cell_size_check=1; PRAGMA mmap_size=0; "
      "PRAGMA temp_store=FILE; PRAGMA cache_size=-16384");
}

Status ForeignTables::ReadSchema() {
  ASSIGN_OR_RETURN(application_id_, db_.QueryInt("PRAGMA application_id"));
  // Virtual tables have no page of their own.
  ASSIGN_OR_RETURN(Statement row,
                   db_.Prepare("SELECT t.name, c.name FROM sqlite_schema AS t, "
                               "pragma_table_info(t.name) AS c "
                               "WHERE t.type = 'table' AND t.rootpage > 0"));
  while (row.Step()) {
    if (tables_.size() > kMaxTables) break;
    tables_[std::string(row.Text(0))].emplace(row.Text(1));
  }
  return row.status();
}

Expected<ForeignTables> ForeignTables::Open(const std::string& path) {
  ForeignTables tables;
  auto db = Database::Open(Database::ReadOnlyUri(path, true),
                           Database::Mode::kReadOnly);
  RETURN_IF_ERROR(db.status());
  tables.db_ = db.Take();
  RETURN_IF_ERROR(tables.Restrict());
  if (Status status = tables.ReadSchema(); !status.ok()) {
    return Unreadable(status.message());
  }
  return tables;
}

bool ForeignTables::Has(std::string_view table, std::string_view column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() && found->second.contains(column);
}

ForeignRows ForeignTables::Select(
    std::string_view table, std::initializer_list<std::string_view> columns,
    std::string_view rest) {
  std::string list;
  for (const std::string_view column : columns) {
    list += list.empty() ? "" : ", ";
    list += Has(table, column) ? Quoted(column) : "NULL AS " + Quoted(column);
  }
  if (!Has(table)) return Query("SELECT " + list + " WHERE 0");
  return Query(fmt::format("SELECT {} FROM {} {}", list, Quoted(table), rest));
}

ForeignRows ForeignTables::Query(const std::string& sql) {
  Expected<Statement> made = db_.Prepare(sql);
  return {this, made.ok() ? made.Take() : Statement::Unprepared(made.status())};
}

bool ForeignRows::Step() {
  if (statement_.Step()) return true;
  if (tables_->fault_.ok()) tables_->fault_ = statement_.status();
  return false;
}

void ForeignRows::Read(int index, std::optional<int64_t>* value) const {
  value->reset();
  if (statement_.IsInteger(index)) *value = statement_.Int(index);
}

void ForeignRows::Read(int index, int64_t* value) const {
  *value = statement_.IsInteger(index) ? statement_.Int(index) : 0;
}

void ForeignRows::Read(int index, std::string_view* value) const {
  *value = statement_.Text(index);
}

void ForeignRows::Read(int index, std::string* value) const {
  *value = statement_.Text(index);
}

}  // namespace inquest::importers
