// SPDX-License-Identifier: Apache-2.0
#include "base/database_hooks.h"

#include <sqlite3.h>

#include <algorithm>
#include <string>
#include <utility>

namespace inquest {
namespace {

// In the order of SqlLimit.
constexpr int kLimitCodes[] = {
    SQLITE_LIMIT_LENGTH,          SQLITE_LIMIT_SQL_LENGTH,
    SQLITE_LIMIT_COLUMN,          SQLITE_LIMIT_EXPR_DEPTH,
    SQLITE_LIMIT_COMPOUND_SELECT, SQLITE_LIMIT_VDBE_OP,
    SQLITE_LIMIT_ATTACHED,        SQLITE_LIMIT_LIKE_PATTERN_LENGTH,
    SQLITE_LIMIT_VARIABLE_NUMBER, SQLITE_LIMIT_TRIGGER_DEPTH,
    SQLITE_LIMIT_WORKER_THREADS,
};
static_assert(std::size(kLimitCodes) ==
              static_cast<size_t>(SqlLimit::kWorkerThreads) + 1);

int Authorize(void* allow, int code, const char* first, const char* second,
              const char*, const char*) {
  SqlAction action = SqlAction::kOther;
  const char* name = nullptr;
  if (code == SQLITE_SELECT || code == SQLITE_READ ||
      code == SQLITE_RECURSIVE) {
    action = SqlAction::kSelect;
  } else if (code == SQLITE_INSERT) {
    action = SqlAction::kInsert;
    name = first;
  } else if (code == SQLITE_FUNCTION) {
    action = SqlAction::kFunction;
    name = second;
  }
  const auto& allows = *static_cast<const SqlGuard::Allow*>(allow);
  return allows(action, name == nullptr ? "" : name) ? SQLITE_OK : SQLITE_DENY;
}

int AskToStop(void* stop) {
  return (*static_cast<const SqlGuard::Stop*>(stop))() ||
                 Database::PastDeadline()
             ? 1
             : 0;
}

void CallFunction(sqlite3_context* context, int count, sqlite3_value** values) {
  SqlCall call(context, count, values);
  reinterpret_cast<SqlFunction>(sqlite3_user_data(context))(&call);
}

}  // namespace

int SetSqlLimit(Database* db, SqlLimit limit, int value) {
  return sqlite3_limit(db->raw(), kLimitCodes[static_cast<size_t>(limit)],
                       value);
}

// Setting the hard limit also lowers the soft one; lifting it needs both calls.
void LimitSqlHeap(int64_t bytes) {
  sqlite3_hard_heap_limit64(0);
  sqlite3_soft_heap_limit64(bytes);
  sqlite3_hard_heap_limit64(bytes);
}

int64_t SqlHeapInUse() {
  return sqlite3_memory_used();
}

int64_t LargestSqlRequest(bool forget) {
  sqlite3_int64 current = 0;
  sqlite3_int64 largest = 0;
  sqlite3_status64(SQLITE_STATUS_MALLOC_SIZE, &current, &largest,
                   forget ? 1 : 0);
  return largest;
}

SqlFailure LastSqlFailure(const Database& db) {
  const int code = sqlite3_errcode(db.raw()) & 0xFF;
  if (code == SQLITE_NOMEM) return SqlFailure::kNoMemory;
  return code == SQLITE_TOOBIG ? SqlFailure::kTooBig : SqlFailure::kOther;
}

void DistrustSchema(Database* db) {
  for (const auto& [what, value] :
       {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1),
        std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        std::pair(SQLITE_DBCONFIG_ENABLE_VIEW, 0)}) {
    sqlite3_db_config(db->raw(), what, value, nullptr);
  }
}

Status AllowCutFile(Database* db) {
  sqlite3_db_config(db->raw(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  return db->Execute("PRAGMA writable_schema=1");
}

SqlGuard::SqlGuard(Database* db, Allow allow, int operations, Stop stop)
    : db_(db), allow_(std::move(allow)), stop_(std::move(stop)) {
  sqlite3_set_authorizer(db->raw(), Authorize, &allow_);
  sqlite3_progress_handler(db->raw(), operations, AskToStop, &stop_);
}

SqlGuard::~SqlGuard() {
  sqlite3_set_authorizer(db_->raw(), nullptr, nullptr);
  db_->WatchDeadline();
}

bool SqlCall::AnyNull() const {
  return std::any_of(values_, values_ + count_, [](sqlite3_value* value) {
    return sqlite3_value_type(value) == SQLITE_NULL;
  });
}

bool SqlCall::IsBlob(int index) const {
  return sqlite3_value_type(values_[index]) == SQLITE_BLOB;
}

std::string_view SqlCall::Text(int index) const {
  sqlite3_value* value = values_[index];
  const void* text =
      IsBlob(index) ? sqlite3_value_blob(value) : sqlite3_value_text(value);
  const int size = sqlite3_value_bytes(value);
  if (text == nullptr) return "";
  return {static_cast<const char*>(text), static_cast<size_t>(size)};
}

int64_t SqlCall::longest_text() const {
  return sqlite3_limit(sqlite3_context_db_handle(context_), SQLITE_LIMIT_LENGTH,
                       -1);
}

void SqlCall::Return(int64_t value) {
  sqlite3_result_int64(context_, value);
}

void SqlCall::Return(std::string_view text) {
  sqlite3_result_text64(context_, text.data() == nullptr ? "" : text.data(),
                        text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void SqlCall::ReturnText(int index) {
  sqlite3_value_text(values_[index]);
  sqlite3_result_value(context_, values_[index]);
}

void SqlCall::ReturnTooBig() {
  sqlite3_result_error_toobig(context_);
}

Status DefineSqlFunction(Database* db, const char* name, int arguments,
                         SqlFunction function) {
  if (sqlite3_create_function_v2(
          db->raw(), name, arguments,
          SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
          reinterpret_cast<void*>(function), CallFunction, nullptr, nullptr,
          nullptr) == SQLITE_OK) {
    return Status::Ok();
  }
  return Internal(std::string("cannot define the function ") + name + ": " +
                  db->LastError());
}

}  // namespace inquest
