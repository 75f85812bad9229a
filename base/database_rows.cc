// SPDX-License-Identifier: Apache-2.0
// Rows of integers as a table that SQL reads; see database.h. An eponymous
// virtual table (sqlite.org/vtab.html) with one hidden column, its argument:
// the rows, bound as a pointer, which no SQL text can make up.
#include <sqlite3.h>

#include <new>

#include "base/database.h"

namespace inquest {
namespace {

constexpr char kRowsPointer[] = "inquest_rows";  // the type of the pointer
constexpr int kRowsArgument = static_cast<int>(Database::kMaxInserted);

struct RowsCursor : sqlite3_vtab_cursor {
  const IntegerRows* rows = nullptr;
  size_t at = 0;  // the current row's first cell
};

static_assert(kRowsArgument == 16);
constexpr char kRowsColumns[] =
    "CREATE TABLE rows(c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,"
    "rows HIDDEN)";

// SQLite owns what is made here and gives it back to DisconnectRows and
// CloseRows. No exception may pass through it.
int ConnectRows(sqlite3* db, void*, int, const char* const*,
                sqlite3_vtab** table, char**) {
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  *table = new (std::nothrow) sqlite3_vtab{};
  return *table == nullptr ? SQLITE_NOMEM
                           : sqlite3_declare_vtab(db, kRowsColumns);
}

int DisconnectRows(sqlite3_vtab* table) {
  delete table;
  return SQLITE_OK;
}

int PlanRows(sqlite3_vtab*, sqlite3_index_info* plan) {
  for (int i = 0; i < plan->nConstraint; ++i) {
    const auto& constraint = plan->aConstraint[i];
    if (constraint.iColumn != kRowsArgument || constraint.usable == 0) continue;
    plan->aConstraintUsage[i].argvIndex = 1;
    plan->aConstraintUsage[i].omit = 1;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

int OpenRows(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  *cursor = new (std::nothrow) RowsCursor{};
  return *cursor == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int CloseRows(sqlite3_vtab_cursor* cursor) {
  delete static_cast<RowsCursor*>(cursor);
  return SQLITE_OK;
}

int FirstRow(sqlite3_vtab_cursor* base, int, const char*, int,
             sqlite3_value** values) {
  auto* cursor = static_cast<RowsCursor*>(base);
  cursor->rows = static_cast<const IntegerRows*>(
      sqlite3_value_pointer(values[0], kRowsPointer));
  cursor->at = 0;
  return SQLITE_OK;
}

int NextRow(sqlite3_vtab_cursor* base) {
  auto* cursor = static_cast<RowsCursor*>(base);
  cursor->at += cursor->rows->columns;
  return SQLITE_OK;
}

int IsAfterRows(sqlite3_vtab_cursor* base) {
  const auto* cursor = static_cast<RowsCursor*>(base);
  const IntegerRows* rows = cursor->rows;
  return rows == nullptr || rows->columns == 0 ||
         cursor->at + rows->columns > rows->cells.size();
}

int ColumnOfRow(sqlite3_vtab_cursor* base, sqlite3_context* context,
                int column) {
  const auto* cursor = static_cast<RowsCursor*>(base);
  const auto index = static_cast<size_t>(column);
  if (index >= cursor->rows->columns) return SQLITE_OK;  // NULL
  sqlite3_result_int64(context, cursor->rows->cells[cursor->at + index]);
  return SQLITE_OK;
}

int IdOfRow(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<const RowsCursor*>(base)->at);
  return SQLITE_OK;
}

// No xCreate: the table exists once in each connection, under the module's
// name.
constexpr sqlite3_module MakeRowsModule() {
  sqlite3_module module{};
  module.xConnect = ConnectRows;
  module.xBestIndex = PlanRows;
  module.xDisconnect = DisconnectRows;
  module.xOpen = OpenRows;
  module.xClose = CloseRows;
  module.xFilter = FirstRow;
  module.xNext = NextRow;
  module.xEof = IsAfterRows;
  module.xColumn = ColumnOfRow;
  module.xRowid = IdOfRow;
  return module;
}
constexpr sqlite3_module kRowsModule = MakeRowsModule();

}  // namespace

Status Database::DefineRows() {
  const int result = sqlite3_create_module_v2(raw(), "inquest_rows",
                                              &kRowsModule, nullptr, nullptr);
  return result == SQLITE_OK ? Status::Ok() : Internal(LastError());
}

Statement& Statement::BindRows(int index, const IntegerRows& rows) {
  sqlite3_bind_pointer(stmt_.get(), index + 1, const_cast<IntegerRows*>(&rows),
                       kRowsPointer, nullptr);
  return *this;
}

}  // namespace inquest
