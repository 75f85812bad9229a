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
  ASSIGN_OR_RETURN(Database shape,
                   Database::Open(":memory:", Database::Mode::kCreate));
  RETURN_IF_ERROR(shape.Execute(EmptyTraceSchema("main")));
  ASSIGN_OR_RETURN(const auto wanted, ColumnsOf(&shape, "main"));
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

}  // namespace inquest::facts
