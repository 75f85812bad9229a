// SPDX-License-Identifier: Apache-2.0
// Visits rows from inside SQLite; see database.h. The visitor is bound as a
// pointer (sqlite.org/bindptr.html), which no SQL text can make up.
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/database.h"

namespace inquest {
namespace {

constexpr char kFunction[] = "inquest_visit";
constexpr char kPointer[] = "inquest_visit";  // the type of the pointer

// The condition of a WHERE that holds for the row that is the last to visit.
void VisitOne(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto* visit = static_cast<const Database::Visit*>(
      count == 0 ? nullptr : sqlite3_value_pointer(values[0], kPointer));
  if (visit == nullptr) return sqlite3_result_null(context);
  std::array<int64_t, Database::kMaxVisited> row;
  const size_t columns =
      std::min(static_cast<size_t>(count) - 1, Database::kMaxVisited);
  for (size_t i = 0; i < columns; ++i) {
    row[i] = sqlite3_value_int64(values[i + 1]);
  }
  sqlite3_result_int(context, (*visit)({row.data(), columns}) ? 0 : 1);
}

}  // namespace

void Database::DefineVisit() {
  sqlite3_create_function_v2(raw(), kFunction, -1,
                             SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr, VisitOne,
                             nullptr, nullptr, nullptr);
}

Status Database::VisitRows(std::string_view table, std::string_view columns,
                           int64_t after, const Visit& visit) {
  std::string sql = "SELECT 1 FROM ";
  sql.append(table).append(" WHERE id > ?1 AND ").append(kFunction);
  sql.append("(?2, ").append(columns).append(") ORDER BY id");
  ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  statement.BindAll(after);
  sqlite3_bind_pointer(statement.stmt_.get(), 2, const_cast<Visit*>(&visit),
                       kPointer, nullptr);
  statement.Step();
  return statement.status();
}

}  // namespace inquest
