// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/foreign_tables.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
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

// Pages that the header counts, and those that the file has; equal if it is
// whole or no database.
struct Pages {
  uint64_t told = 0, there = 0;
};

Pages PagesOf(const std::string& path) {
  std::array<unsigned char, 100> header = {};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(header.data()), header.size());
  if (!file) return {};
  const auto number = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value = value << 8 | header[at + i];
    return value;
  };
  constexpr size_t kPageSize = 16, kChanges = 24, kPages = 28, kCountedAt = 92;
  const uint64_t size =
      number(kPageSize, 2) == 1 ? 65536 : number(kPageSize, 2);
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  if (error || size < 512) return {};
  // Some writers leave the count as it was; then SQLite does not use it either.
  if (number(kChanges, 4) != number(kCountedAt, 4)) return {};
  return {number(kPages, 4), bytes / size};
}

}  // namespace

// Where a part of a cut file's schema is missing, the first statement that
// needs it fails, and those after it find what could be read.
Status ForeignTables::Restrict(bool cut) {
  DistrustSchema(&db_);
  SetSqlLimit(&db_, SqlLimit::kLength, kMaxValueBytes);
  SetSqlLimit(&db_, SqlLimit::kAttached, 0);
  RETURN_IF_ERROR(db_.Execute("PRAGMA query_only=1"));
  if (cut) {
    RETURN_IF_ERROR(AllowCutFile(&db_));
    (void)ReadSchema();
  }
  return db_.Execute(
      "PRAGMA cell_size_check=1; PRAGMA mmap_size=0; PRAGMA temp_store=FILE; "
      "PRAGMA cache_size=-16384");
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
  const Pages pages = PagesOf(path);
  const bool cut = pages.there < pages.told;
  RETURN_IF_ERROR(tables.Restrict(cut));
  if (cut) {
    tables.cut_ = true;
    tables.fault_ =
        Unreadable(fmt::format("the file is cut off: it has {} of its {} pages",
                               pages.there, pages.told));
  }
  const Status status = tables.ReadSchema();
  if (!status.ok() && (!cut || tables.tables_.empty())) {
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
