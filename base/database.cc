// SPDX-License-Identifier: Apache-2.0
#include "base/database.h"

#include <sqlite3.h>

#include <utility>

namespace inquest {
namespace {

// What the last call on the connection failed with. A damaged file is faulty
// input and not a bug, as is one whose header forbids writing; a full disk is
// neither.
Status FailureOf(sqlite3* db, const char* message) {
  switch (sqlite3_errcode(db) & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return Unreadable(message);
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return {StatusCode::kIncomplete, message};
    case SQLITE_INTERRUPT:
      if (!Database::PastDeadline()) return Internal(message);
      return {StatusCode::kIncomplete, "the time that was given is over"};
    default:
      return Internal(message);
  }
}

}  // namespace

void Statement::Finalizer::operator()(sqlite3_stmt* stmt) const {
  sqlite3_finalize(stmt);
}

Statement Statement::Unprepared(Status why) {
  Statement statement;
  statement.unprepared_ = std::move(why);
  return statement;
}

Statement& Statement::Bind(int index, int64_t value) {
  sqlite3_bind_int64(stmt_.get(), index + 1, value);
  return *this;
}

Statement& Statement::Bind(int index, double value) {
  sqlite3_bind_double(stmt_.get(), index + 1, value);
  return *this;
}

Statement& Statement::Bind(int index, std::string_view text) {
  // A null pointer would bind NULL instead of an empty string.
  const char* data = text.data() == nullptr ? "" : text.data();
  sqlite3_bind_text64(stmt_.get(), index + 1, data, text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::BindBlob(int index, const void* data, size_t size) {
  sqlite3_bind_blob64(stmt_.get(), index + 1, data, size, SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::BindNull(int index) {
  sqlite3_bind_null(stmt_.get(), index + 1);
  return *this;
}

bool Statement::Step() {
  // Without a statement there is no connection to ask for the error.
  if (stmt_ == nullptr) {
    status_ = unprepared_.ok() ? Internal("there is no statement to run")
                               : unprepared_;
    return false;
  }
  const int result = sqlite3_step(stmt_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) {
    sqlite3* db = sqlite3_db_handle(stmt_.get());
    status_ = FailureOf(db, sqlite3_errmsg(db));
  }
  return false;
}

Status Statement::RunBound() {
  while (Step()) {
  }
  Status result = status_;
  Reset();
  return result;
}

void Statement::Reset() {
  sqlite3_reset(stmt_.get());
  status_ = Status::Ok();
}

bool Statement::IsReadOnly() const {
  return sqlite3_stmt_readonly(stmt_.get()) != 0;
}

int Statement::parameters() const {
  return sqlite3_bind_parameter_count(stmt_.get());
}

std::string_view Statement::ParameterName(int index) const {
  const char* name = sqlite3_bind_parameter_name(stmt_.get(), index + 1);
  return name == nullptr ? "" : name + 1;
}

int Statement::columns() const {
  return sqlite3_column_count(stmt_.get());
}

std::string_view Statement::ColumnName(int index) const {
  return sqlite3_column_name(stmt_.get(), index);
}

bool Statement::IsNull(int index) const {
  return sqlite3_column_type(stmt_.get(), index) == SQLITE_NULL;
}

bool Statement::IsInteger(int index) const {
  return sqlite3_column_type(stmt_.get(), index) == SQLITE_INTEGER;
}

bool Statement::IsReal(int index) const {
  return sqlite3_column_type(stmt_.get(), index) == SQLITE_FLOAT;
}

bool Statement::IsText(int index) const {
  return sqlite3_column_type(stmt_.get(), index) == SQLITE_TEXT;
}

int64_t Statement::Int(int index) const {
  return sqlite3_column_int64(stmt_.get(), index);
}

double Statement::Real(int index) const {
  return sqlite3_column_double(stmt_.get(), index);
}

std::string_view Statement::Text(int index) const {
  const auto* text = sqlite3_column_text(stmt_.get(), index);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<size_t>(sqlite3_column_bytes(stmt_.get(), index))};
}

std::string_view Statement::Blob(int index) const {
  const void* blob = sqlite3_column_blob(stmt_.get(), index);
  if (blob == nullptr) return {};
  return {static_cast<const char*>(blob),
          static_cast<size_t>(sqlite3_column_bytes(stmt_.get(), index))};
}

int64_t Statement::ByteSize(int index) const {
  const int type = sqlite3_column_type(stmt_.get(), index);
  const bool sized = type == SQLITE_TEXT || type == SQLITE_BLOB;
  return sized ? sqlite3_column_bytes(stmt_.get(), index) : 0;
}

void Database::Closer::operator()(sqlite3* db) const {
  sqlite3_close_v2(db);
}

Status Database::Execute(std::string_view sql) {
  const std::string text(sql);
  char* error = nullptr;
  if (sqlite3_exec(db_.get(), text.c_str(), nullptr, nullptr, &error) ==
      SQLITE_OK) {
    return Status::Ok();
  }
  Status status =
      FailureOf(db_.get(), error != nullptr ? error : "unknown SQLite error");
  sqlite3_free(error);
  return status;
}

Expected<Statement> Database::Prepare(std::string_view sql,
                                      std::string_view* rest) {
  sqlite3_stmt* raw = nullptr;
  const char* tail = sql.data();
  if (sqlite3_prepare_v2(db_.get(), sql.data(), static_cast<int>(sql.size()),
                         &raw, &tail) != SQLITE_OK) {
    return FailureOf(db_.get(), sqlite3_errmsg(db_.get()));
  }
  if (rest != nullptr)
    *rest = sql.substr(static_cast<size_t>(tail - sql.data()));
  Statement statement;
  statement.stmt_.reset(raw);
  return statement;
}

Expected<std::vector<std::string>> Database::QueryTexts(std::string_view sql) {
  ASSIGN_OR_RETURN(Statement row, Prepare(sql));
  std::vector<std::string> texts;
  for (std::string text; row.Next(&text);) texts.push_back(text);
  RETURN_IF_ERROR(row.status());
  return texts;
}

Expected<int64_t> Database::QueryInt(std::string_view sql) {
  ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  const int64_t value = statement.Step() ? statement.Int(0) : 0;
  RETURN_IF_ERROR(statement.status());
  return value;
}

int64_t Database::LastInsertId() const {
  return sqlite3_last_insert_rowid(db_.get());
}

std::string Database::LastError() const {
  return sqlite3_errmsg(db_.get());
}

}  // namespace inquest
