// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "analyzer/facts/store/catalogue.h"

namespace inquest::facts {
namespace {

// As "table.column".
Expected<std::vector<std::string>> ColumnsOf(Database* db,
                                             const std::string& schema) {
  return db->QueryTexts(fmt::format(
      "SELECT t.name || '.' || c.name FROM {0}.sqlite_schema AS t, "
      "pragma_table_info(t.name, '{0}') AS c WHERE t.type = 'table'",
      schema));
}

std::string TableOf(const std::string& column) {
  return column.substr(0, column.find('.'));
}

bool WasAdded(std::string_view table) {
  return std::ranges::find(kAddedTables, table) != std::end(kAddedTables);
}

}  // namespace

Expected<std::string> MissingColumn(Database* db, const std::string& schema) {
  ASSIGN_OR_RETURN(Database shape, Database::OpenMemory());
  RETURN_IF_ERROR(shape.AttachImage("shape", EmptyTrace()));
  ASSIGN_OR_RETURN(const auto wanted, ColumnsOf(&shape, "shape"));
  ASSIGN_OR_RETURN(const auto found, ColumnsOf(db, schema));
  const std::set<std::string> columns(found.begin(), found.end());
  std::set<std::string> tables;
  for (const std::string& column : found) tables.insert(TableOf(column));
  for (const std::string& column : wanted) {
    const std::string table = TableOf(column);
    const bool optional = WasAdded(table) && !tables.contains(table);
    if (!optional && !columns.contains(column)) return column;
  }
  return std::string();
}

bool HasKnownTables(Database* db, const std::string& schema) {
  constexpr std::string_view kCreate = "CREATE TABLE ";
  const std::string text = TraceSchema();
  std::set<std::string_view> wanted;
  for (size_t at = text.find(kCreate); at != text.npos;
       at = text.find(kCreate, at)) {
    at += kCreate.size();
    const std::string_view rest = std::string_view(text).substr(at);
    const std::string_view table = rest.substr(0, rest.find_first_of(" (\n"));
    if (!WasAdded(table)) wanted.insert(table);
  }
  auto row = db->Prepare(fmt::format(
      "SELECT type = 'table' AND rootpage > 0 OR type = 'index', name, sql "
      "FROM {}.sqlite_schema",
      schema));
  if (!row.ok()) return false;
  bool plain = false;
  for (std::string name, sql; row->Next(&plain, &name, &sql);) {
    if (!plain || text.find(sql) == text.npos) return false;
    wanted.erase(name);
  }
  return row->status().ok() && wanted.empty();
}

}  // namespace inquest::facts
